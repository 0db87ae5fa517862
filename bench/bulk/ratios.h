// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench bulk`: ratios of two quantities that were measured by turns, and the limits that are wanted of some.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/bulk/measured.h"

namespace syncline::bench {

struct Ratio {
    const char* name;  // in a result's file
    const char* title;
    const char* label;  // the title in short, for a picture; "": no limit is wanted
    const char* unit;   // "times", "% more", "%"
    int mtu;
    std::vector<double> rounds;
    double got;                    // the median of them
    std::optional<double> wanted;  // none: the ratio is only stated
    bool at_most;                  // else at least

    bool reached() const { return !wanted || (at_most ? got <= *wanted : got >= *wanted); }
};

// Those whose two quantities were both measured.
std::vector<Ratio> ratios_of(const Measured& measured, int mtu);

}  // namespace syncline::bench
