// SPDX-License-Identifier: BSD-3-Clause
// Counts the situations that the runs of one test have reached, such as "killed process: holder". A test whose draws
// never reach a situation finds fewer faults than it claims.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "tests/seeds.h"

namespace syncline::deterministic {

using Elements = std::vector<std::string>;

class Coverage {
  public:
    void note(const Elements& elements) {
        for (const std::string& element : elements) {
            runs_[element]++;
        }
    }

    // Prints in how many runs each element was reached. Each of `expected` must have been reached, unless a failure has
    // ended the runs, seeds are named, or sanitizers leave too few seeds.
    void report(const Elements& expected) const {
        for (const auto& [element, count] : runs_) {
            std::printf("  %6lu %s\n", count, element.c_str());
        }
        const bool is_complete = DETERMINISTIC_SEEDS >= 200 && !are_seeds_named() && !testing::Test::HasFailure();
        for (const std::string& element : is_complete ? expected : Elements{}) {
            EXPECT_TRUE(runs_.contains(element)) << "no run has reached: " << element;
        }
    }

  private:
    std::map<std::string, uint64_t> runs_;
};

// Returns "<one of a>: <one of b>" for all pairs.
inline Elements product(const Elements& a, const Elements& b) {
    Elements all;
    for (const std::string& left : a) {
        for (const std::string& right : b) {
            all.push_back(left + ": " + right);
        }
    }
    return all;
}

}  // namespace syncline::deterministic
