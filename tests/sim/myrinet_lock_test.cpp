// SPDX-License-Identifier: BSD-3-Clause
// Method: the lock of Buntinas 2002 on the Myrinet model, against times worked out by hand and, for every number of
// nodes and every way to execute, under a witness of mutual exclusion and order that is tested itself.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/failure.h"
#include "sim/models/myrinet/locker.h"
#include "tests/sim/myrinet_runs.h"

namespace syncline::sim::myrinet {
namespace {

constexpr double there = 10 + 3 + 30 + 4 + 50, back = 50 + 5 + 6 + 30 + 20;
constexpr double by_nic = there + 8 + 30 + 7 + back, by_host = there + 5 + 6 + 30 + 20 + 10 + 3 + 30 + 4 + back;

Values by(const char* executor, const char* wait, int64_t cpus) {
    return {{"workload.executor", std::string(executor)}, {"workload.wait", std::string(wait)}, {"host.cpus", cpus}};
}

Values alone() {
    return with(round_numbers(), {{"workload.nodes", int64_t{2}}});
}

double latency(const Values& changes) {
    return run_preset("000-lock", changes).number("latency_us");
}

TEST(MyrinetLock, AloneItTakesTwoOperations) {
    EXPECT_DOUBLE_EQ(latency(with(alone(), by("nic", "poll", 2))), 2 * by_nic);
    EXPECT_DOUBLE_EQ(latency(with(alone(), by("host", "poll", 2))), 2 * by_host);
    EXPECT_DOUBLE_EQ(latency(with(alone(), by("host", "spin-block", 2))), 2 * (by_host + 9));
    EXPECT_DOUBLE_EQ(latency(with(alone(), by("host", "block", 1))), 2 * (by_host + 40));
}

// The time between lock and unlock does not count.
TEST(MyrinetLock, DelaysAreNotPartOfIt) {
    EXPECT_DOUBLE_EQ(latency(with(with(alone(), by("nic", "poll", 2)), {{"workload.delay_ns", 1e6}})), 2 * by_nic);
}

TEST(MyrinetLock, ASecondOneWaitsForTheFirst) {
    const Values two = with(round_numbers(), {{"workload.nodes", int64_t{3}}, {"workload.repeats", int64_t{1}}});
    // Both swap at once. Node 2's waits at node 0 until the bus has fetched node 1's word and written it back; with its
    // answer it puts its link, which is in node 1's memory once it has been fetched and written back too.
    const double linked = by_nic + 2 * 30 + there + 8 + 30 + 30;
    // Meanwhile node 1 has got the lock and tried to leave alone. The answer that a node waits has to wait for the
    // link's write on the bus of node 1.
    const double knows = linked + 30 + 20;
    EXPECT_GT(knows, 2 * by_nic);
    EXPECT_DOUBLE_EQ(latency(with(two, by("nic", "poll", 2))), knows + by_nic);
}

TEST(MyrinetLock, OneAtATimeInOrderAndAllOfThem) {
    for (int64_t nodes = 2; nodes <= 17; nodes++) {
        for (const char* const executor : {"nic", "host"}) {
            for (const char* const wait : {"poll", "spin-block", "block"}) {
                for (int64_t cpus = executor + std::string(wait) == "hostpoll" ? 2 : 1; cpus <= 2; cpus++) {
                    for (const double delay : {0.0, 7'000.0, 300'000.0}) {
                        SCOPED_TRACE(
                            fmt::format("{} nodes, {}, {}, {} CPUs, {} ns", nodes, executor, wait, cpus, delay));
                        const Values changes = {
                            {"workload.nodes", nodes}, {"workload.repeats", int64_t{20}}, {"workload.delay_ns", delay}};
                        EXPECT_TRUE(run_preset("000-lock", with(changes, by(executor, wait, cpus))).flag("right"));
                    }
                }
            }
        }
    }
}

TEST(MyrinetLock, TheWitnessNotices) {
    LockWitness right;
    for (const uint64_t tail : {1, 2, 2}) {
        right.tail(tail);
    }
    right.enter(1);
    right.leave(1);
    right.enter(2);
    EXPECT_FALSE(right.free());
    right.tail(0);
    right.leave(2);
    EXPECT_TRUE(right.right());
    EXPECT_TRUE(right.free());

    LockWitness two_inside = LockWitness(), out_of_order = LockWitness(), stranger = LockWitness();
    for (LockWitness* const witness : {&two_inside, &out_of_order}) {
        witness->tail(1);
        witness->tail(2);
    }
    two_inside.enter(1);
    two_inside.enter(2);
    EXPECT_FALSE(two_inside.right());
    out_of_order.enter(2);
    EXPECT_FALSE(out_of_order.right());
    stranger.enter(3);
    EXPECT_FALSE(stranger.right());
}

TEST(MyrinetLock, ManyWaitersTakeLongerOnTheHost) {
    const Values many = {{"workload.nodes", int64_t{8}}};
    const double nic = latency(with(many, by("nic", "poll", 2)));
    const double poll = latency(with(many, by("host", "poll", 2)));
    const double block = latency(with(many, by("host", "block", 2)));
    EXPECT_LT(nic, poll);
    EXPECT_LT(poll, block);
    EXPECT_DOUBLE_EQ(latency(with(many, by("nic", "block", 1))), nic);
}

TEST(MyrinetLock, APollingServerNeedsItsOwnCpu) {
    EXPECT_THROW(run_preset("000-lock", by("host", "poll", 1)), Failure);
}

TEST(MyrinetCounter, NoticesHostBasedLocksOnly) {
    const Values without = {{"workload.disturb", false}};
    const double idle = run_preset("000-counter", without).number("iterations");
    EXPECT_DOUBLE_EQ(idle, 10'000);
    EXPECT_DOUBLE_EQ(run_preset("000-counter", by("nic", "block", 1)).number("iterations"), idle);
    EXPECT_DOUBLE_EQ(run_preset("000-counter", by("host", "block", 2)).number("iterations"), idle);
    const Results often = run_preset("000-counter", {{"workload.delay_ns", 0.0}});
    const Results rarely = run_preset("000-counter", {{"workload.delay_ns", 200'000.0}});
    EXPECT_LT(often.number("iterations"), rarely.number("iterations"));
    EXPECT_LT(rarely.number("iterations"), idle);
    EXPECT_TRUE(often.flag("right"));
}

// Each operation takes an interrupt, a receive and a send away: 70 us. In round numbers, of 10 ms.
TEST(MyrinetCounter, LosesWhatTheServerTakes) {
    const Values window = with(round_numbers(), {{"workload.nodes", int64_t{2}},
                                                 {"workload.repeats", int64_t{1}},
                                                 {"workload.window_ns", 1e7},
                                                 {"workload.iteration_ns", 1000.0}});
    const int64_t operations = 10'000 / static_cast<int64_t>(by_host + 40);
    const auto last = 10'000 - operations * static_cast<int64_t>(by_host + 40);
    const double begun = std::clamp<double>(static_cast<double>(last) - (there + 5 + 6 + 30), 0, 70);
    EXPECT_NEAR(run_preset("000-counter", window).number("iterations"),
                10'000 - 70.0 * static_cast<double>(operations) - begun, 1);
}

TEST(MyrinetBandwidth, IsThatOfTheBusLessWhatLocksTake) {
    for (const char* const executor : {"nic", "host"}) {
        const Values locking = by(executor, "block", 1);
        const double idle =
            run_preset("000-bandwidth", with(locking, {{"workload.disturb", false}})).number("payload_mbps");
        const Results disturbed = run_preset("000-bandwidth", locking);
        EXPECT_NEAR(idle, 4096 / (1.5 + 4096 / 133.0), 0.03 * idle) << "a packet: its transfer over the bus";
        EXPECT_LT(disturbed.number("payload_mbps"), idle);
        EXPECT_TRUE(disturbed.flag("right"));
    }
    EXPECT_THROW(run_preset("000-bandwidth", {{"workload.nodes", int64_t{2}}}), Failure);
}

}  // namespace
}  // namespace syncline::sim::myrinet
