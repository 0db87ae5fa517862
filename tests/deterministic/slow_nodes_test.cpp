// SPDX-License-Identifier: BSD-3-Clause
// Method: nodes that execute 2,700 packets a second, as an emulated machine does, and PEs that keep all the slots of
// their windows full towards all others. A node works at full windows seven times as long as a process waits at most
// whose answers are not late. Each PE puts words and adds to one.
//
// Checked: each word is right and each add counted once, no call fails, and few packets are sent again. A process whose
// waits do not follow lateness makes the queues that delay its answers longer, until it takes a node for dead.
#include <gtest/gtest.h>

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

constexpr syncline_address_t word_at(uint32_t source, uint64_t index) {
    return heap_reserved_bytes + 64 + 8 * (puts * source + index);
}
uint64_t value_of(uint32_t source, uint32_t target, uint64_t index) {
    return uint64_t{source} << 48 | uint64_t{target} << 32 | index;
}

class SlowNodes : public testing::TestWithParam<bool> {
  protected:
    void run(double loss) {
        options_.ports = {2, 2, 2};
        options_.window = SLW_WINDOW_MAX;
        options_.deposits = GetParam();
        options_.endpoint.direct = false;
        options_.endpoint.wait_mode = SYNCLINE_WAIT_BLOCK;
        options_.faults.execution_ns = execution_ns;
        options_.faults.loss = loss;
        world_ = std::make_unique<World>(1, options_);
        EXPECT_TRUE(world_->run([this](Endpoint* endpoint) { program(endpoint); }, slow_time_limit_ns));
        check();
    }

    void program(Endpoint* endpoint) {
        const uint32_t self = endpoint->rank();
        const uint32_t size = world_->size();
        std::vector<syncline_request_t> requests;
        for (uint64_t i = 0; i < puts; i++) {
            for (uint32_t other = (self + 1) % size; other != self; other = (other + 1) % size) {
                const uint64_t value = value_of(self, other, i);
                EXPECT_EQ(endpoint->bulk().put_nb(static_cast<int>(other), word_at(self, i), &value, sizeof(value), 0,
                                                  &requests.emplace_back()),
                          SYNCLINE_OK);
            }
        }
        for (const syncline_request_t request : requests) {
            EXPECT_EQ(endpoint->requests().wait(request), SYNCLINE_OK);
        }
        for (uint32_t other = 0; other < size; other++) {
            EXPECT_EQ(endpoint->atomics().execute({.operation = SYNCLINE_ADD | SYNCLINE_64,
                                                   .rank = static_cast<int>(other),
                                                   .target = count_at,
                                                   .operand = {1, 0}}),
                      SYNCLINE_OK);
        }
        JobBarrier leaving(endpoint);
        EXPECT_EQ(leaving.run(), SYNCLINE_OK);
        leaving.part();
    }

    void check() const {
        const uint32_t size = world_->size();
        for (uint32_t target = 0; target < size; target++) {
            EXPECT_EQ(world_->peek(target, count_at), size);
            for (uint32_t source = 0; source < size; source++) {
                for (uint64_t i = 0; source != target && i < puts; i++) {
                    ASSERT_EQ(world_->peek(target, word_at(source, i)), value_of(source, target, i));
                }
            }
        }
        calls_ = size * (size - 1) * (puts + 1);
    }
    double sends_of_call() const {
        return static_cast<double>(world_->packets()) / static_cast<double>(packets_of_call * calls_);
    }

    WorldOptions options_;
    std::unique_ptr<World> world_;
    mutable uint64_t calls_ = 0;
};

TEST_P(SlowNodes, AreNotGivenMoreToDo) {
    run(0);
    EXPECT_LT(sends_of_call(), sends_most);
}

TEST_P(SlowNodes, OnNetworksThatLosePackets) {
    run(0.05);
    EXPECT_LT(sends_of_call(), sends_most);
}

INSTANTIATE_TEST_SUITE_P(Pace, SlowNodes, testing::Bool(),
                         [](const auto& deposits) { return deposits.param ? "nic" : "sockets"; });

}  // namespace
}  // namespace syncline::deterministic
