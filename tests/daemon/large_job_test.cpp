// SPDX-License-Identifier: BSD-3-Clause
// Method: one node of a job of 65,536 ranks on 4096 nodes, with the tables that its daemon makes, over xdp on loopback
// in a network namespace of the test's own. 1024 ranks of other nodes send to it. The memory of its tables is what the
// kernel says of each BPF map, and what `syncline info --job-memory` says.
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/clock.h"
#include "base/failure.h"
#include "daemon/addresses.h"
#include "daemon/node_job.h"
#include "daemon/targets/nic_programs.h"
#include "fabric/choice/job_memory.h"

namespace syncline {
namespace {

constexpr uint32_t all_ranks = 65536;
constexpr uint32_t all_nodes = 4096;
constexpr uint32_t partners = 64;
constexpr uint32_t node = 5;
constexpr uint64_t heap_of_pe = 2 * heap_reserved_bytes;

// Namespaces of the network are those of threads.
void in_own_network(const std::function<void()>& work) {
    std::thread thread([&] {
        ASSERT_EQ(::unshare(CLONE_NEWNET), 0) << std::strerror(errno);
        const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        ifreq up = {};
        std::strcpy(up.ifr_name, "lo");
        up.ifr_flags = IFF_UP;
        ASSERT_EQ(::ioctl(socket.get(), SIOCSIFFLAGS, &up), 0);
        work();
    });
    thread.join();
}

// The bytes of all BPF maps that this process has descriptors of.
uint64_t bpf_memory() {
    uint64_t sum = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fdinfo")) {
        std::ifstream file(entry.path());
        bool is_map = false;
        uint64_t bytes = 0;
        for (std::string line; std::getline(file, line);) {
            is_map = is_map || line.starts_with("map_type:");
            if (line.starts_with("memlock:")) {
                bytes = std::stoull(line.substr(8));
            }
        }
        sum += is_map ? bytes : 0;
    }
    return sum;
}

Job large_job() {
    Job job;
    JobSpec& spec = job.spec;
    spec.transport = TransportKind::kXdp;
    spec.heap_bytes = heap_of_pe;
    spec.config = config_of_node(all_ranks, all_nodes, SLW_PACKET_MAX);
    spec.config.job = 0x1a46e;
    spec.config.node = node;
    spec.config.udp_port = 7448;
    std::strcpy(spec.interface, "lo");
    job.map = RankMap::lay_out("block", all_ranks, all_nodes);
    for (uint32_t i = 0; i < all_nodes; i++) {
        job.addresses.push_back(NodeAddress::parse(fmt::format("10.0.{}.{}", i / 256, i % 256)));
    }
    job.addresses[node] = NodeAddress::parse("127.0.0.1");
    return job;
}

// An add of 1 to the word behind the runtime's own of port 0's heap.
std::vector<uint8_t> add_of(const fw_config& config, uint32_t rank, uint32_t sequence) {
    std::vector<uint8_t> packet(SLW_HEADER_BYTES + SLW_UNIT_BYTES);
    slw_header header = {};
    header.magic = SLW_MAGIC;
    header.version = SLW_VERSION;
    header.kind = SLW_REQUEST;
    header.source_rank = static_cast<uint16_t>(rank);
    header.job = config.job;
    header.sequence = sequence;
    header.units = 1;
    header.target_node = node;
    slw_unit unit = {};
    unit.code = SLW_ADD | SLW_WIDTH_64;
    unit.offset_low = heap_reserved_bytes;
    unit.operand = 1;
    std::memcpy(packet.data(), &header, sizeof(header));
    std::memcpy(packet.data() + SLW_HEADER_BYTES, &unit, sizeof(unit));
    fw_seal(&config, packet.data());
    return packet;
}

class LargeJob : public testing::Test {
  protected:
    void SetUp() override {
        if (::geteuid() != 0) {
            GTEST_SKIP() << "xdp and namespaces need root";
        }
    }
};

uint64_t count_of(NodeJob* job, const char* counter) {
    return nlohmann::json::parse(job->statistics(0))["counters"][counter].get<uint64_t>();
}

// Each rank sends its request again until it is executed, as a PE does.
void send_from_many(NodeJob* job) {
    fw_config config = job->job().spec.config;
    const UniqueFd socket = make_udp_socket(NodeAddress::parse("127.0.0.1"), 0);
    const uint64_t deadline = now_ns() + 20 * ns_per_s;
    while (count_of(job, "operations") < 16 * partners) {
        ASSERT_LT(now_ns(), deadline) << job->statistics(0);
        for (uint32_t i = 0; i < 16 * partners; i++) {
            const std::vector<uint8_t> packet = add_of(config, (all_ranks - 1) - 63 * i, 1);
            ASSERT_TRUE(send_to_node(socket.get(), job->job(), node, packet.data(), packet.size()));
        }
        job->do_work(now_ns());
    }
}

TEST_F(LargeJob, TakesMemoryForThoseThatTalk) {
    in_own_network([] {
        NodeMemory memory;
        const uint64_t before = bpf_memory();
        NicPrograms programs(false);
        NodeJob job(large_job(), &memory, &programs);
        job.build();
        const uint64_t tables = bpf_memory() - before - 16 * heap_of_pe;
        const std::vector<MemoryUse> at_first = table_memory(job.job().spec.config, 0);
        EXPECT_NEAR(static_cast<double>(tables), static_cast<double>(sum_of(at_first)), 0.05 * tables)
            << "what `syncline info --job-memory` says, and the kernel";
        send_from_many(&job);
        EXPECT_EQ(count_of(&job, "operations"), 16u * partners) << "each once";
        EXPECT_GT(count_of(&job, "rejected_room"), 0u) << "there was no room for all at first";
        const fw_config& config = job.job().spec.config;
        const uint64_t all = sum_of(table_memory(config, 16 * partners)) + sum_of(process_memory(config, partners));
        fmt::print("tables without slots of others: {} KiB; all: {} KiB\n", tables >> 10, all >> 10);
        EXPECT_LE(all, uint64_t{64} << 20);
        EXPECT_GE(memory.promised(), rows_bytes(config, 16 * partners)) << "the rows are the job's";
        EXPECT_LE(memory.promised(), all + 16 * heap_of_pe);
    });
}

}  // namespace
}  // namespace syncline
