// SPDX-License-Identifier: BSD-3-Clause
// Rows of results whose names are numbers (contenders, nodes), as JSON and as lines of a chart.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/bench/chart.h"
#include "tools/bench/results.h"

namespace syncline::bench {

// By series, then by row: nanoseconds.
nlohmann::ordered_json json_of_rows(const std::vector<Row>& rows);

// A line for each series that was measured: means, as multiples of `unit`.
void draw_rows(Svg* svg, Place corner, const std::vector<Row>& rows, const std::vector<std::string>& series,
               const Chart::Texts& texts, double unit = 1000);

}  // namespace syncline::bench
