// SPDX-License-Identifier: BSD-3-Clause
// Rows of results whose names are numbers (contenders, nodes), as lines of a chart.
#pragma once

#include <string>
#include <vector>

#include "bench/report/chart.h"
#include "bench/report/results.h"

namespace syncline::bench {

constexpr double row_chart_width = 520, row_chart_height = 390;

// A line for each series that was measured: means, as multiples of `unit`. The x axis has a tick for each row.
void draw_rows(Svg* svg, Place corner, const std::vector<Row>& rows, const std::vector<std::string>& series,
               const Chart::Texts& texts, double unit = 1000);

}  // namespace syncline::bench
