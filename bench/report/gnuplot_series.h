// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a panel for gnuplot, and the command that plots them.
#pragma once

#include <string>

#include "bench/report/axis_range.h"
#include "bench/report/figure.h"

namespace syncline::bench {

constexpr double line_width = 1.8, point_size = 0.65;

// A block of numbers for each series, by the axes that they are placed on.
std::string series_data(const Panel& panel, const AxisRange& at, const AxisRange& value);
// Plots these blocks in a figure of that width.
std::string plot_command(const Panel& panel, double width);

}  // namespace syncline::bench
