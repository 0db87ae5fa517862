// SPDX-License-Identifier: BSD-3-Clause
// Which seeds a simulation runs, and what a failure says: SYNCLINE_SEED=<seed> replays one, SYNCLINE_SEEDS=<n> runs the
// first n.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace syncline::simulation {

// `run` takes a seed and returns what went wrong, or "".
template <typename Run>
void for_each_seed(uint64_t count, Run&& run) {
    const char* const one = std::getenv("SYNCLINE_SEED");
    const char* const many = std::getenv("SYNCLINE_SEEDS");
    const uint64_t first = one != nullptr ? std::strtoull(one, nullptr, 0) : 1;
    const uint64_t seeds = one != nullptr ? 1 : many != nullptr ? std::strtoull(many, nullptr, 0) : count;
    const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        const std::string wrong = run(seed);
        ASSERT_EQ(wrong, "") << "Replay:\n  SYNCLINE_SEED=" << seed << " " << program_invocation_short_name
                             << " --gtest_filter=" << test->test_suite_name() << "." << test->name();
    }
}

}  // namespace syncline::simulation
