// SPDX-License-Identifier: BSD-3-Clause
// Method: daemon, host agent and two PEs of a udp job in one process, so that a race detector sees all of the core's
// locking: the PEs reach each other by packets only, and four threads on each of them use one endpoint at once, with
// blocking and posted atomics, requests, tags, puts and waits. The final memory must be exact.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "fabric/choice/factory.h"
#include "runtime/endpoint/word_wait.h"
#include "tests/daemon/daemon_client.h"

namespace syncline {
namespace {

using namespace testing_daemon;

constexpr int count = 200;
constexpr syncline_address_t base = heap_reserved_bytes;
constexpr int fetch_add = SYNCLINE_ADD | SYNCLINE_64 | SYNCLINE_FETCH;

AtomicCall add(int rank, syncline_address_t target, void* result) {
    AtomicCall call = {
        .operation = result != nullptr ? fetch_add : SYNCLINE_ADD | SYNCLINE_64, .rank = rank, .target = target};
    call.operand[0] = 1;
    call.result = result;
    return call;
}

class EndpointThreads : public testing::TestWithParam<int> {
  protected:
    EndpointThreads() {
        spdlog::set_level(spdlog::level::off);
        job.transport = TransportKind::kUdp;
        job.heap_bytes = 4 * heap_reserved_bytes;
        job.config.window = 8;
        job.config.udp_port = 10000 + static_cast<uint32_t>(::getpid()) % 20000;
        // 127.0.0.1, as the one node
        creator = server.greeted();
        const Message created = server.ask(&creator, create_message(job));
        EXPECT_EQ(created.status, SYNCLINE_OK) << created.text();
        daemon = std::thread([this] {
            while (!stop.load()) {
                server.daemon.do_work(5);
            }
        });
        for (int rank = 0; rank < 2; rank++) {
            endpoints[rank] = attach(rank);
        }
    }

    ~EndpointThreads() override {
        stop = true;
        daemon.join();
    }

    std::unique_ptr<Endpoint> attach(int rank) {
        ::setenv("SYNCLINE_SOCKET", server.address.c_str(), 1);
        ::setenv("SYNCLINE_RANK", std::to_string(rank).c_str(), 1);
        ::setenv("SYNCLINE_JOB", fmt::format("{:x}", job.config.job).c_str(), 1);
        ::setenv("SYNCLINE_TOKEN", fmt::format("{:x}", job.token).c_str(), 1);
        std::unique_ptr<Attachment> attachment = Attachment::create();
        // The sockets' transport sends nothing through this node's memory, so it needs none.
        auto tables = std::make_unique<PacketTables>(PacketTables::map(attachment.get()));
        auto transport = make_transport(attachment.get(), *tables, nullptr);
        auto fabrics = std::make_unique<Fabrics>(attachment.get(), std::move(tables), std::move(transport),
                                                 Fabrics::Options{20000, false});
        return std::make_unique<Endpoint>(std::move(attachment), std::move(fabrics), GetParam());
    }

    uint64_t word(int rank, int index) {
        uint64_t value = 0;
        EXPECT_EQ(endpoints[rank]->bulk().get(rank, base + static_cast<uint64_t>(index) * 8, &value, 8), SYNCLINE_OK);
        return value;
    }

    InProcess server{"/threads"};
    JobSpec job = small_job(0x7e, 2);
    Channel creator;
    std::thread daemon;
    std::atomic<bool> stop{false};
    std::unique_ptr<Endpoint> endpoints[2];
};

void blocking(Endpoint* endpoint) {
    for (int i = 0; i < count; i++) {
        uint64_t old = 0;
        ASSERT_EQ(endpoint->atomics().execute(add(i % 2, base, &old)), SYNCLINE_OK);
        ASSERT_EQ(endpoint->posting().post(add(i % 2, base + 8, nullptr)), SYNCLINE_OK);
    }
    ASSERT_EQ(endpoint->posting().quiet(), SYNCLINE_OK);
}

void by_request(Endpoint* endpoint) {
    for (int i = 0; i < count; i++) {
        uint64_t old[3];
        syncline_request_t requests[3];
        for (int j = 0; j < 3; j++) {
            ASSERT_EQ(endpoint->atomics().start(add(i % 2, base + 16, &old[j]), 0, &requests[j]), SYNCLINE_OK);
        }
        for (const syncline_request_t request : requests) {
            ASSERT_EQ(endpoint->requests().wait(request), SYNCLINE_OK);
        }
    }
}

void by_tag(Endpoint* endpoint) {
    std::vector<uint64_t> old(count);
    int handed_out = 0;
    const auto count_it = [](uint64_t, int status, void* context) {
        EXPECT_EQ(status, SYNCLINE_OK);
        ++*static_cast<int*>(context);
    };
    for (int i = 0; i < count; i++) {
        ASSERT_EQ(endpoint->atomics().start(add(i % 2, base + 24, &old[static_cast<size_t>(i)]), 1, nullptr),
                  SYNCLINE_OK);
        endpoint->requests().poll(count_it, &handed_out, 2);
    }
    while (handed_out < count) {
        ASSERT_GE(endpoint->requests().poll(count_it, &handed_out, 10), 0);
    }
}

// Ping-pong with the other PE's same thread.
void by_puts(Endpoint* endpoint) {
    const auto me = static_cast<int>(endpoint->rank());
    const auto* const mine = static_cast<const uint64_t*>(endpoint->memory().local(base + 32));
    for (uint64_t i = 1; i <= count / 4; i++) {
        uint8_t data[3000];
        std::memset(data, static_cast<int>(i), sizeof(data));
        ASSERT_EQ(endpoint->bulk().put(1 - me, base + 4096, data, sizeof(data)), SYNCLINE_OK);
        ASSERT_EQ(endpoint->posting().fence(1 - me), SYNCLINE_OK);
        ASSERT_EQ(endpoint->posting().post(add(1 - me, base + 32, nullptr)), SYNCLINE_OK);
        ASSERT_EQ(wait_until64(endpoint, mine, SYNCLINE_GE, i, 30'000'000), SYNCLINE_OK);
    }
}

TEST_P(EndpointThreads, ShareAnEndpoint) {
    std::vector<std::thread> threads;
    for (const auto& endpoint : endpoints) {
        for (void (*const work)(Endpoint*) : {blocking, by_request, by_tag, by_puts}) {
            threads.emplace_back(work, endpoint.get());
        }
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (int rank = 0; rank < 2; rank++) {
        EXPECT_EQ(endpoints[rank]->posting().quiet(), SYNCLINE_OK);
    }
    for (int rank = 0; rank < 2; rank++) {
        EXPECT_EQ(word(rank, 0), count);
        EXPECT_EQ(word(rank, 1), count);
        EXPECT_EQ(word(rank, 2), count * 3);
        EXPECT_EQ(word(rank, 3), count);
        EXPECT_EQ(word(rank, 4), count / 4);
    }
}

INSTANTIATE_TEST_SUITE_P(Waiting, EndpointThreads, testing::Values(SYNCLINE_WAIT_POLL, SYNCLINE_WAIT_BLOCK),
                         [](const auto& mode) { return mode.param == SYNCLINE_WAIT_POLL ? "poll" : "block"; });

}  // namespace
}  // namespace syncline
