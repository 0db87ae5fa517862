// SPDX-License-Identifier: BSD-3-Clause
// Method: frames with VLAN tags. The NIC program answers one as it answers the frame without tags, and the tags stay
// where they are; the host has frames with more tags than it reads. The dispatcher goes on to the program of the job
// whose number a packet has, whatever its tags and ports; a packet without one goes to its UDP port's; all else is the
// host's.
#include <bpf/bpf.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>

#include <cerrno>
#include <functional>
#include <set>
#include <vector>

#include "base/failure.h"
#include "bpf_target.h"
#include "dispatch.skel.h"
#include "firmware/dispatch.h"
#include "firmware/headers.h"
#include "packet.h"

namespace syncline::test {
namespace {

constexpr size_t mac_bytes = 12;

// Puts so many tags in: the outer one 802.1ad if there are several.
Bytes tagged(const Bytes& frame, int tags) {
    Bytes out(frame.begin(), frame.begin() + mac_bytes);
    for (int tag = 0; tag < tags; tag++) {
        const bool outer = tag + 1 < tags;
        const uint8_t bytes[] = {static_cast<uint8_t>(outer ? 0x88 : 0x81), static_cast<uint8_t>(outer ? 0xa8 : 0x00),
                                 0x20, static_cast<uint8_t>(5 + tag)};
        out.insert(out.end(), std::begin(bytes), std::end(bytes));
    }
    out.insert(out.end(), frame.begin() + mac_bytes, frame.end());
    return out;
}

Bytes fetch_add(const fw_config& config, uint32_t sequence) {
    return Request::from(config, 0, 0, 0, sequence).add(SLW_ADD | SLW_WIDTH_64 | SLW_FETCH, 0, 0, 64, 7).packet(config);
}

class Links : public testing::Test {
  protected:
    void SetUp() override {
        if (const std::string obstacle = BpfTarget::obstacle(); !obstacle.empty()) {
            GTEST_SKIP() << obstacle;
        }
    }
    // One program for all frames: an emulator takes seconds to load it.
    static void for_each_kind(const std::function<void(bool ipv6, int tags)>& look) {
        for (const bool ipv6 : {false, true}) {
            for (int tags = 0; tags <= FW_VLANS_MAX + 1; tags++) {
                SCOPED_TRACE(testing::Message() << (ipv6 ? "IPv6, " : "IPv4, ") << tags << " tags");
                look(ipv6, tags);
            }
        }
    }
};

TEST_F(Links, TheReplyHasTheTagsOfTheRequest) {
    const TargetShape shape = TargetShape::small(true);
    BpfTarget plain(shape);
    BpfTarget target(shape);
    uint32_t sequence = 0;
    uint64_t executed = 0;
    for_each_kind([&](bool ipv6, int tags) {
        for (int i = 0; i < 3; i++) {
            const bool reads = tags <= FW_VLANS_MAX;
            const Bytes request = to_frame(shape.config, fetch_add(shape.config, sequence + 1), ipv6);
            Bytes frame = tagged(request, tags);
            const Bytes sent = frame;
            ASSERT_EQ(target.execute(frame), reads ? XDP_TX : XDP_PASS);
            if (!reads) {
                EXPECT_EQ(frame, sent) << "the host's frames stay as they are";
                continue;
            }
            Bytes expected = request;
            ASSERT_EQ(plain.execute(expected), XDP_TX);
            EXPECT_EQ(frame, tagged(expected, tags));
            sequence++;
            executed++;
        }
    });
    EXPECT_EQ(target.counters().value[FW_COUNT_operations], executed);
}

// A frame that ends anywhere is the host's, or counted and dropped; it is never executed.
TEST_F(Links, FramesThatEndTooEarly) {
    const TargetShape shape = TargetShape::small(true);
    BpfTarget target(shape);
    for_each_kind([&](bool ipv6, int tags) {
        const Bytes whole = tagged(to_frame(shape.config, fetch_add(shape.config, 1), ipv6), tags);
        for (size_t bytes = 14; bytes < whole.size(); bytes++) {
            Bytes frame(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(bytes));
            const int verdict = target.execute(frame);
            EXPECT_TRUE(verdict == XDP_PASS || verdict == XDP_DROP) << bytes;
        }
    });
    EXPECT_EQ(target.counters().value[FW_COUNT_operations], 0u);
}

// Programs that tell by their verdict which one ran.
UniqueFd program_that_returns(int verdict) {
    const bpf_insn code[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = verdict},
        {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0}};
    LIBBPF_OPTS(bpf_prog_load_opts, load, .expected_attach_type = BPF_XDP, .prog_flags = BPF_F_XDP_HAS_FRAGS);
    return UniqueFd(bpf_prog_load(BPF_PROG_TYPE_XDP, "one", "Dual BSD/GPL", code, std::size(code), &load));
}

class Dispatcher {
  public:
    explicit Dispatcher(bool tells_nodes) : skeleton_(dispatch_bpf__open()) {
        if (skeleton_ != nullptr) {
            const_cast<uint32_t&>(skeleton_->rodata->fw_tells_nodes) = tells_nodes ? 1 : 0;
        }
        if (skeleton_ == nullptr || dispatch_bpf__load(skeleton_) != 0) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "loading the dispatcher failed");
        }
    }
    ~Dispatcher() { dispatch_bpf__destroy(skeleton_); }

    void add(uint64_t key, const fw_way& way, int program) {
        ASSERT_EQ(bpf_map_update_elem(bpf_map__fd(skeleton_->maps.fw_programs), &way.program, &program, BPF_ANY), 0);
        ASSERT_EQ(bpf_map_update_elem(bpf_map__fd(skeleton_->maps.fw_jobs), &key, &way, BPF_ANY), 0);
    }

    // The places that the last frames have handed over, CPU by CPU.
    std::set<uint64_t> handed() const {
        const uint32_t zero = 0;
        std::vector<uint64_t> of_cpu(static_cast<size_t>(libbpf_num_possible_cpus()));
        EXPECT_EQ(bpf_map_lookup_elem(bpf_map__fd(skeleton_->maps.fw_handed), &zero, of_cpu.data()), 0);
        return {of_cpu.begin(), of_cpu.end()};
    }

    int execute(Bytes frame) {
        LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = frame.data(),
                    .data_size_in = static_cast<uint32_t>(frame.size()));
        return bpf_prog_test_run_opts(bpf_program__fd(skeleton_->progs.syncline_dispatch), &run) == 0
                   ? static_cast<int>(run.retval)
                   : -errno;
    }

  private:
    dispatch_bpf* skeleton_;
};

// `here`: the interface in the keys; 0: nodes are not told by it.
void expect_dispatch_by(uint32_t here, bool ipv6, int tags) {
    const fw_config config = TargetShape::small(true).config;
    fw_config other = config;
    other.job++;
    other.udp_port++;
    const UniqueFd one = program_that_returns(XDP_TX);
    const UniqueFd two = program_that_returns(XDP_ABORTED);
    Dispatcher dispatcher(here != 0);
    const auto frame = [&](const fw_config& of, uint16_t source, const Bytes& packet) {
        return tagged(to_frame(of, packet, ipv6, source), tags);
    };
    const Bytes packet = fetch_add(config, 1);
    EXPECT_EQ(dispatcher.execute(frame(config, 40000, packet)), XDP_PASS) << "there is no job yet";
    const fw_way to_one = {.program = 3, .place = 17};
    const fw_way to_two = {.program = 7, .place = 201};
    dispatcher.add(fw_key_of_job(here + 1, config.job), to_one, one.get());
    dispatcher.add(fw_key_of_port(here + 1, config.udp_port), to_one, one.get());
    EXPECT_EQ(dispatcher.execute(frame(config, 40000, packet)), XDP_PASS) << "it is another interface's";
    dispatcher.add(fw_key_of_job(here, config.job), to_one, one.get());
    dispatcher.add(fw_key_of_port(here, config.udp_port), to_one, one.get());
    dispatcher.add(fw_key_of_job(here, other.job), to_two, two.get());
    dispatcher.add(fw_key_of_port(here, other.udp_port), to_two, two.get());
    const bool reads = tags <= FW_VLANS_MAX;
    const int first = reads ? XDP_TX : XDP_PASS;
    const int second = reads ? XDP_ABORTED : XDP_PASS;
    EXPECT_EQ(dispatcher.execute(frame(config, 40000, packet)), first);
    EXPECT_EQ(dispatcher.handed().contains(to_one.place), reads);
    EXPECT_EQ(dispatcher.execute(frame(other, 40000, fetch_add(other, 1))), second);
    EXPECT_EQ(dispatcher.handed().contains(to_two.place), reads);
    EXPECT_EQ(dispatcher.execute(frame(config, static_cast<uint16_t>(other.udp_port), packet)), first)
        << "the number comes before ports";
    Bytes damaged = packet;
    damaged[offsetof(slw_header, job)] ^= 1 << 6;
    EXPECT_EQ(dispatcher.execute(frame(config, 40000, damaged)), first) << "a job's port, for which it counts";
    damaged[0] ^= 1;
    EXPECT_EQ(dispatcher.execute(frame(other, 40000, damaged)), second);
    fw_config strange = config;
    strange.udp_port = 9;
    EXPECT_EQ(dispatcher.execute(frame(strange, static_cast<uint16_t>(other.udp_port), damaged)), second)
        << "replies come from the job's port";
    EXPECT_EQ(dispatcher.execute(frame(strange, 40000, damaged)), XDP_PASS);
}

void expect_dispatch(bool ipv6, int tags) {
    expect_dispatch_by(0, ipv6, tags);
    expect_dispatch_by(1, ipv6, tags);  // loopback, where BPF_PROG_TEST_RUN's frames come in
}

TEST_F(Links, TheDispatcherFindsTheJob) {
    for_each_kind(expect_dispatch);
}

}  // namespace
}  // namespace syncline::test
