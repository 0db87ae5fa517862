// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench bulk`: ratios of two quantities that were measured alternately, and the limits of some of the ratios.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/bulk/measured.h"

namespace syncline::bench {

struct Ratio {
    const char* name;  // name in a result's file
    const char* title;
    const char* unit;  // "times", "% more", "%"
    int mtu;
    std::vector<double> rounds;
    double got;                    // the median of the rounds
    std::optional<double> wanted;  // the limit; none: the ratio is only stated
    bool at_most;                  // `got` must be at most the limit; else at least

    bool reached() const { return !wanted || (at_most ? got <= *wanted : got >= *wanted); }
};

// Returns the ratios whose two quantities were both measured.
std::vector<Ratio> ratios_of(const Measured& measured, int mtu);

}  // namespace syncline::bench
