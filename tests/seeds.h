// SPDX-License-Identifier: BSD-3-Clause
// The seeds of a randomised test: first the fixed ones, 1 to some number, which are the same in every run, then fresh
// ones that no run had before. The test prints the first fresh seed before it begins, and on failure the command that
// replays the seed.
//
//   SYNCLINE_SEED=<s>    runs only s; with SYNCLINE_SEEDS=<n> the n seeds from s on
//   SYNCLINE_SEEDS=<n>   without SYNCLINE_SEED: runs the seeds 1 to n, and no fresh ones
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <type_traits>

namespace syncline {

struct Seeds {
    uint64_t first;
    uint64_t count;
};

// Returns the seeds that the environment names; a count of 0 if it names none.
inline Seeds seeds_of_environment() {
    const char* const one = std::getenv("SYNCLINE_SEED");
    const char* const many = std::getenv("SYNCLINE_SEEDS");
    const uint64_t count = many != nullptr ? std::strtoull(many, nullptr, 0) : one != nullptr ? 1 : 0;
    return {one != nullptr ? std::strtoull(one, nullptr, 0) : 1, count};
}

inline bool are_seeds_named() {
    return seeds_of_environment().count != 0;
}

// Returns the command that runs the current test with these seeds.
inline std::string replay(const Seeds& seeds) {
    const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
    return "SYNCLINE_SEED=" + std::to_string(seeds.first) +
           (seeds.count == 1 ? "" : " SYNCLINE_SEEDS=" + std::to_string(seeds.count)) + " " +
           program_invocation_short_name + " --gtest_filter='" + test->test_suite_name() + "." + test->name() + "'";
}

// Draws `count` seeds in a row, of 32 bits so that they are quickly typed, and prints them.
inline Seeds fresh_seeds(uint64_t count) {
    const Seeds seeds = {std::random_device()() | uint64_t{1} << 32, count};
    std::printf("fresh seeds: %s\n", replay(seeds).c_str());
    std::fflush(stdout);
    return seeds;
}

// `run` takes a seed. It has expectations of its own, or returns a text about what was wrong, "" if nothing was. No
// seed runs after the first one that fails.
template <typename Run>
void for_each_seed(const Seeds& seeds, Run&& run) {
    for (uint64_t seed = seeds.first; seed < seeds.first + seeds.count && !testing::Test::HasFailure(); seed++) {
        SCOPED_TRACE("Replay:\n  " + replay({seed, 1}));
        if constexpr (std::is_void_v<decltype(run(seed))>) {
            run(seed);
        } else {
            EXPECT_EQ(run(seed), "");
        }
    }
}

template <typename Run>
void for_each_seed(uint64_t fixed, uint64_t fresh, Run&& run) {
    if (const Seeds named = seeds_of_environment(); named.count != 0) {
        for_each_seed(named, run);
        return;
    }
    const Seeds drawn = fresh_seeds(fresh);
    for_each_seed({1, fixed}, run);
    for_each_seed(drawn, run);
}

}  // namespace syncline
