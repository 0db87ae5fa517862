// SPDX-License-Identifier: BSD-3-Clause
// The range of an axis, and the ticks of a logarithmic one, from the values that it has to show.
#pragma once

#include <vector>

#include "bench/report/figure.h"

namespace syncline::bench {

struct AxisRange {
    bool is_log = false;
    double least = 0, most = 1;
    double place_of_zero = 0;        // of a logarithmic axis: half the least positive value
    std::vector<double> ticks = {};  // ascending; empty: gnuplot has good ones

    double place_of(double value) const { return value == 0 ? place_of_zero : value; }
};

// A logarithmic axis gets at most so many ticks.
AxisRange range_of_values(const Axis& axis, std::vector<double> values, size_t ticks_most);
// Where there are not more places than that, each of them that is not too close to another one has a tick.
AxisRange range_of_places(const Axis& axis, std::vector<double> places, size_t ticks_most);

}  // namespace syncline::bench
