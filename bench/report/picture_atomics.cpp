// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench atomics`: latencies and rates, and the CPU time and the bandwidth that a target under load has left.
#include <algorithm>

#include "bench/report/looks.h"
#include "bench/report/panels.h"
#include "bench/report/pictures.h"

namespace syncline::bench {

namespace {

std::vector<Row> as_percentiles(std::vector<Row> rows) {
    for (Row& row : rows) {
        for (NamedCell& named : row.cells) {
            named.cell = {named.cell.p99, 0, 0, {}};
        }
    }
    return rows;
}

std::vector<FigureSeries> series_of_loads(const std::vector<Line>& lines, double unit) {
    std::vector<FigureSeries> all;
    for (const Line& line : lines) {
        FigureSeries series = {label_of(line.series), look_of(line.series, all.size()), {}};
        for (const Point& point : line.points) {
            series.samples.push_back(sample_of(point.value, point.rate_per_s, unit));
        }
        std::sort(series.samples.begin(), series.samples.end(),
                  [](const Sample& a, const Sample& b) { return a.at < b.at; });
        all.push_back(std::move(series));
    }
    return all;
}

// On one node the CPU's instruction stands beside this library.
std::vector<Row> same_node_rows(const Json& result) {
    std::vector<Row> rows = rows_of(result, quantities::same_node);
    for (Row& row : rows) {
        for (NamedCell& named : row.cells) {
            named.series = named.series == "library" ? "syncline" : named.series;
        }
    }
    return rows;
}

}  // namespace

Figure picture_of_atomics(const Json& result) {
    const std::vector<Row> latency = rows_of(result, quantities::latency);
    const std::string between_nodes = "64 bits, from one node to another";
    Figure figure;
    add_panel(&figure, dots_panel("Remote atomics: median latency", between_nodes, time_axis(), latency));
    add_panel(&figure, dots_panel("Remote atomics: 99th percentile of latency", between_nodes, time_axis(),
                                  as_percentiles(latency)));
    add_panel(&figure, {.title = "CPU time that is left at the target",
                        .subtitle = "a counter there, while another node does fetch_adds",
                        .at = rate_axis("fetch_adds to the target"),
                        .value = {"iterations, millions a second", Scale::kLinear},
                        .series = series_of_loads(lines_of(result, quantities::counter), 1e-3)});
    add_panel(&figure, {.title = "Bandwidth that is left at the target",
                        .subtitle = "TCP to a third node, while another one does fetch_adds",
                        .at = rate_axis("fetch_adds to the target"),
                        .value = {"bandwidth, MB/s", Scale::kLinear},
                        .series = series_of_loads(lines_of(result, quantities::bandwidth), 1e-6)});
    add_panel(&figure, dots_panel("Remote atomics: rate", between_nodes, rate_axis("operations"),
                                  rows_of(result, quantities::rate), 1));
    add_panel(&figure,
              dots_panel("fetch_add on one node", "in memory that the PEs share", time_axis(), same_node_rows(result)));
    return figure;
}

}  // namespace syncline::bench
