// SPDX-License-Identifier: BSD-3-Clause
// Method: the Myrinet model against times worked out by hand from its parameters, and for every shape of barrier that
// no node leaves before all have started: the firmware itself decides that.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/failure.h"
#include "tests/sim/myrinet_runs.h"

namespace syncline::sim {
namespace {

TEST(Myrinet, ExchangeTakesTheSumOfItsSteps) {
    const Values two = with(round_numbers(), {{"workload.nodes", int64_t{2}}});
    const Values eight = with(round_numbers(), {{"workload.nodes", int64_t{8}}});
    const double constant = 10 + 1 + 30 + 2 + 30 + 20, step = 7 + 50 + 8;
    EXPECT_DOUBLE_EQ(run_preset("004-barrier", two).number("latency_us"), constant + step);
    EXPECT_DOUBLE_EQ(run_preset("004-barrier", eight).number("latency_us"), constant + 3 * step);
    const double message = 10 + 3 + 30 + 4 + 50 + 5 + 6 + 30 + 20;
    const Values host = with(eight, {{"workload.executor", std::string("host")}});
    EXPECT_DOUBLE_EQ(run_preset("004-barrier", host).number("latency_us"), 3 * message);
}

TEST(Myrinet, CompareSwapTakesTheSumOfItsSteps) {
    const double there = 10 + 3 + 30 + 4 + 50, back = 50 + 5 + 6 + 30 + 20;
    EXPECT_DOUBLE_EQ(run_preset("000-atomics", round_numbers()).number("latency_us"), there + 8 + 30 + 7 + back);
    const Values host = with(round_numbers(), {{"workload.executor", std::string("host")}});
    EXPECT_DOUBLE_EQ(run_preset("000-atomics", host).number("latency_us"), 2 * (there - 50 + back));
    const Values block = with(host, {{"workload.wait", std::string("block")}});
    EXPECT_DOUBLE_EQ(run_preset("000-atomics", block).number("latency_us"), 2 * (there - 50 + back) + 40);
    const Values spin = with(host, {{"workload.wait", std::string("spin-block")}});
    EXPECT_DOUBLE_EQ(run_preset("000-atomics", spin).number("latency_us"), 2 * (there - 50 + back) + 9);
    const Values impatient = with(spin, {{"host.spin_ns", 50'000.0}});
    EXPECT_DOUBLE_EQ(run_preset("000-atomics", impatient).number("latency_us"), 2 * (there - 50 + back) + 9 + 40);
}

TEST(Myrinet, NoNodeLeavesABarrierBeforeAllHaveStarted) {
    for (int64_t nodes = 2; nodes <= 17; nodes++) {
        for (int64_t dimension = 0; dimension < nodes; dimension += 1 + dimension / 4) {
            for (const char* const executor : {"nic", "host"}) {
                SCOPED_TRACE(fmt::format("{} nodes, dimension {}, {}", nodes, dimension, executor));
                const Results results = run_preset("004-barrier", {{"workload.nodes", nodes},
                                                                   {"workload.dimension", dimension},
                                                                   {"workload.executor", std::string(executor)},
                                                                   {"workload.repeats", int64_t{5}}});
                EXPECT_TRUE(results.flag("right"));
            }
        }
    }
}

TEST(Myrinet, EveryCompareSwapFindsWhatItExpects) {
    EXPECT_TRUE(run_preset("000-atomics", {}).flag("right"));
}

TEST(Myrinet, ATreeOfMoreChildrenThanNodesIsRefused) {
    EXPECT_THROW(run_preset("004-barrier", {{"workload.nodes", int64_t{4}}, {"workload.dimension", int64_t{4}}}),
                 Failure);
}

}  // namespace
}  // namespace syncline::sim
