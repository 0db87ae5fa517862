// SPDX-License-Identifier: BSD-3-Clause
// Method: nodes that execute 2,700 packets a second, as an emulated machine does, and PEs that keep all the slots of
// their windows full towards all others. A node needs seven times as long for all full windows as a process without
// late answers waits at most. Each PE puts words, or records that are as long as packets, and adds to one. In a second
// test the nodes become quick again, and packets are lost.
//
// Checked: each record is right and each add counted once, no call fails, and few packets are sent again. A process
// whose waits do not follow lateness makes the queues that delay its answers longer, until it takes a node for dead.
// Where answers are not late any more, a packet that is lost is sent again soon.
#include <gtest/gtest.h>

#include "base/sizes.h"
#include "runtime/collective/job_barrier.h"
#include "tests/deterministic/world.h"

namespace syncline::deterministic {
namespace {

constexpr uint64_t execution_ns = ns_per_s / 2700;
constexpr uint64_t slow_time_limit_ns = 120 * ns_per_s;
constexpr uint64_t puts = 150;           // to each other PE
constexpr uint64_t packets_of_call = 2;  // request and reply
constexpr double sends_most = 5;         // of a packet; most of them while nothing is known of the node yet
constexpr syncline_address_t count_at = heap_reserved_bytes;

struct Slow {
    const char* name;
    bool deposits;
    uint32_t bytes;  // of a record
    double loss;
};

class SlowNodes : public testing::TestWithParam<Slow> {
  protected:
    SlowNodes() {
        options_.ports = {2, 2, 2};
        options_.window = SLW_WINDOW_MAX;
        options_.deposits = GetParam().deposits;
        options_.endpoint.direct = false;
        options_.endpoint.wait_mode = SYNCLINE_WAIT_BLOCK;
        options_.heap_bytes = round_up(record_at(6, 0), SLW_BLOCK_BYTES);
        options_.faults.execution_ns = execution_ns;
        options_.faults.loss = GetParam().loss;
        world_ = std::make_unique<World>(1, options_);
    }

    static syncline_address_t record_at(uint32_t source, uint64_t index) {
        return heap_reserved_bytes + 64 + GetParam().bytes * (puts * source + index);
    }
    static uint64_t value_of(uint32_t source, uint32_t target, uint64_t index) {
        return uint64_t{source} << 48 | uint64_t{target} << 32 | index;
    }

    void put_records(Endpoint* endpoint) {
        const uint32_t self = endpoint->rank();
        std::vector<syncline_request_t> requests;
        for (uint64_t i = 0; i < puts; i++) {
            for (uint32_t other = (self + 1) % world_->size(); other != self; other = (other + 1) % world_->size()) {
                const std::vector<uint64_t> record(GetParam().bytes / 8, value_of(self, other, i));
                EXPECT_EQ(endpoint->bulk().put_nb(static_cast<int>(other), record_at(self, i), record.data(),
                                                  GetParam().bytes, 0, &requests.emplace_back()),
                          SYNCLINE_OK);
            }
        }
        for (const syncline_request_t request : requests) {
            EXPECT_EQ(endpoint->requests().wait(request), SYNCLINE_OK);
        }
    }

    static void add_one(Endpoint* endpoint, uint32_t rank) {
        EXPECT_EQ(endpoint->atomics().execute({.operation = SYNCLINE_ADD | SYNCLINE_64,
                                               .rank = static_cast<int>(rank),
                                               .target = count_at,
                                               .operand = {1, 0}}),
                  SYNCLINE_OK);
    }

    // Each PE does so, between two barriers.
    void run(const World::Program& part) {
        EXPECT_TRUE(world_->run(
            [&](Endpoint* endpoint) {
                put_records(endpoint);
                JobBarrier barrier(endpoint);
                EXPECT_EQ(barrier.run(), SYNCLINE_OK);
                part(endpoint);
                EXPECT_EQ(barrier.run(), SYNCLINE_OK);
                barrier.part();
            },
            slow_time_limit_ns));
        for (uint32_t target = 0; target < world_->size(); target++) {
            for (uint32_t source = 0; source < world_->size(); source++) {
                for (uint64_t i = 0; source != target && i < puts; i++) {
                    check_record(source, target, i);
                }
            }
        }
    }

    void check_record(uint32_t source, uint32_t target, uint64_t index) const {
        for (uint64_t at = 0; at < GetParam().bytes; at += 8) {
            ASSERT_EQ(world_->peek(target, record_at(source, index) + at), value_of(source, target, index));
        }
    }

    WorldOptions options_;
    std::unique_ptr<World> world_;
};

TEST_P(SlowNodes, AreNotGivenMoreToDo) {
    run([this](Endpoint* endpoint) {
        for (uint32_t rank = 0; rank < world_->size(); rank++) {
            add_one(endpoint, rank);
        }
    });
    for (uint32_t rank = 0; rank < world_->size(); rank++) {
        EXPECT_EQ(world_->peek(rank, count_at), world_->size());
    }
    // Until a probe has come back, packets are as short as all paths carry.
    const uint64_t packets = packets_of_call * world_->size() * (world_->size() - 1) * (puts + 1) *
                             (1 + GetParam().bytes / (SLW_PACKET_LEAST - SLW_HEADER_BYTES));
    EXPECT_LT(static_cast<double>(world_->packets()), sends_most * static_cast<double>(packets));
}

TEST_P(SlowNodes, BecomeQuick) {
    constexpr uint64_t adds = 200;
    constexpr uint64_t time_of_add_ns = ns_per_ms;  // in the mean: one of ten waits to be sent again
    run([this](Endpoint* endpoint) {
        world_->set_execution(0);
        add_one(endpoint, (endpoint->rank() + 2) % world_->size());
        const uint64_t begin = world_->scheduler().now();
        for (uint64_t i = 0; i < adds; i++) {
            add_one(endpoint, (endpoint->rank() + 2) % world_->size());
        }
        EXPECT_LT(world_->scheduler().now() - begin, adds * time_of_add_ns);
    });
    EXPECT_EQ(world_->peek(0, count_at), adds + 1);
}

INSTANTIATE_TEST_SUITE_P(Pace, SlowNodes,
                         testing::Values(Slow{"nic", true, 8, 0}, Slow{"sockets", false, 8, 0},
                                         Slow{"nic_loss", true, 8, 0.05}, Slow{"sockets_loss", false, 8, 0.05},
                                         Slow{"nic_long", true, 4000, 0}, Slow{"sockets_long", false, 4000, 0.05}),
                         [](const auto& slow) { return std::string(slow.param.name); });

}  // namespace
}  // namespace syncline::deterministic
