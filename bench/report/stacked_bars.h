// SPDX-License-Identifier: BSD-3-Clause
// A chart of upright bars in groups; each bar is a stack of parts.
#pragma once

#include <string>
#include <vector>

#include "bench/report/chart.h"

namespace syncline::bench {

struct StackedBar {
    std::string title;          // below it
    std::vector<double> parts;  // from below
};

struct BarGroup {
    std::string title;
    std::vector<StackedBar> bars;
};

struct StackPart {
    std::string title, colour;
};

void draw_stacked_bars(Svg* svg, Place corner, double width, double height, const Chart::Texts& texts,
                       const std::vector<StackPart>& parts, const std::vector<BarGroup>& groups);

}  // namespace syncline::bench
