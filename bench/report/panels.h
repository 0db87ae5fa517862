// SPDX-License-Identifier: BSD-3-Clause
// Panels of the rows and lines of a result.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/report/figure.h"
#include "bench/report/results.h"

namespace syncline::bench {

constexpr double seconds_of_ns = 1e-9;

// Times and rates differ by their ratios: their axes are logarithmic.
inline Axis time_axis(std::string title = "time") {
    return {std::move(title), Scale::kLog, "s"};
}
inline Axis rate_axis(std::string title) {
    return {std::move(title), Scale::kLog, "/s"};
}
inline Axis number_axis(std::string title) {
    return {std::move(title), Scale::kLog};
}

// Its median and the range of its batches, as multiples of `unit`.
Sample sample_of(const Cell& cell, double at, double unit = seconds_of_ns);

// A line for each of these series that was measured, over rows whose names are numbers.
std::vector<FigureSeries> lines_over_rows(const std::vector<Row>& rows, const std::vector<std::string>& series,
                                          double unit = seconds_of_ns);
// The names of all series, in the order in which they come.
std::vector<std::string> series_of(const std::vector<Row>& rows);

// The rows of these operations that were measured, in the order of the operations and by their titles.
template <typename Operations>
std::vector<Row> titled(const std::vector<Row>& measured, const Operations& operations) {
    std::vector<Row> rows;
    for (const auto& operation : operations) {
        for (const Row& row : measured) {
            if (row.name == operation.name) {
                rows.push_back({operation.title, row.cells});
            }
        }
    }
    return rows;
}

// A row of points for each of these rows. If some have both series, a note says how many times quicker the first one is
// than the second.
Panel dots_panel(std::string title, std::string subtitle, Axis value, const std::vector<Row>& rows,
                 double unit = seconds_of_ns);
void note_times_quicker(Panel* panel, const std::vector<Row>& rows, const std::string& own, const std::string& peer);

// Adds it unless it shows nothing.
void add_panel(Figure* figure, Panel panel);

}  // namespace syncline::bench
