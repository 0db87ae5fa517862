// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/pictures.h"

#include <algorithm>
#include <map>

#include "base/failure.h"
#include "bench/report/rows.h"

namespace syncline::bench {

std::string picture_of(const Json& result) {
    static const std::map<std::string, std::string (*)(const Json&)> pictures = {
        {"syncline bench armci", picture_of_armci},
        {"syncline bench atomics", picture_of_atomics},
        {"syncline bench barrier", picture_of_barrier},
        {"syncline bench bulk", picture_of_bulk},
        {"syncline bench dsm", picture_of_dsm},
        {"syncline bench fence", picture_of_fence},
        {"syncline bench lock", picture_of_lock},
        {"syncline bench shmem", picture_of_shmem},
        {"syncline bench random-access", picture_of_random_access}};
    const auto command = result.at("command").get<std::string>();
    const auto found = pictures.find(command);
    if (found == pictures.end()) {
        fail(SYNCLINE_ERR_INVALID, "there is no picture of \"{}\"", command);
    }
    return found->second(result);
}

// Trees of the dimension that is best for each number of nodes.
std::string picture_of_barrier(const Json& result) {
    std::vector<Row> rows = rows_of(result, quantities::barrier);
    for (Row& row : rows) {
        for (const std::string executor : {"nic", "host"}) {
            const Cell* best = nullptr;
            for (const NamedCell& named : row.cells) {
                if (named.series.starts_with(executor + " tree ") &&
                    (best == nullptr || named.cell.median < best->median)) {
                    best = &named.cell;
                }
            }
            if (best != nullptr) {
                const Cell copy = *best;
                row.cells.push_back({executor + " tree", copy});
            }
        }
    }
    Svg svg(row_chart_width + 20, row_chart_height);
    draw_rows(&svg, {0, 0}, rows, {"nic exchange", "nic tree", "host exchange", "host tree"},
              {"Barrier: by the NICs and by the hosts",
               "mean at node 0 of barriers in a row; each tree of its best dimension", "nodes", "latency, µs"});
    svg.foot(origin_of(result));
    return svg.finish();
}

std::string picture_of_fence(const Json& result) {
    const std::vector<Row> by_nodes = rows_of(result, quantities::fence_after_all);
    const std::vector<Row> by_targets = rows_of(result, quantities::fence_after_some);
    std::vector<std::string> all, few;
    for (const NamedCell& named : by_nodes.front().cells) {
        all.push_back(named.series);
    }
    for (const NamedCell& named : by_targets.front().cells) {
        few.push_back(named.series);
    }
    Svg svg(2 * row_chart_width, row_chart_height);
    draw_rows(
        &svg, {0, 0}, by_nodes, all,
        {"Fence and barrier in one", "mean, after each process has written to every other", "nodes", "latency, µs"});
    draw_rows(
        &svg, {row_chart_width, 0}, by_targets, few,
        {fmt::format("Fence and barrier in one, {} nodes", by_nodes.back().name),
         "mean, after each process has written to some others", "processes that each has written to", "latency, µs"});
    svg.foot(origin_of(result));
    return svg.finish();
}

std::string picture_of_lock(const Json& result) {
    const std::vector<std::string> hosts = {"xdp mcs", "udp-poll mcs", "udp-block mcs"};
    const std::vector<std::string> kinds = {"xdp mcs", "xdp local-release", "xdp ticket", "xdp hybrid"};
    const std::vector<Row> both = rows_of(result, quantities::acquire_and_release);
    const bool has_xdp = both.front().find("xdp mcs") != nullptr;
    Svg svg(has_xdp ? 2 * row_chart_width : row_chart_width + 20, (has_xdp ? 2 : 1) * row_chart_height);
    const auto draw = [&](Place corner, const std::vector<Row>& rows, const std::vector<std::string>& series,
                          const char* title, const char* subtitle) {
        draw_rows(&svg, corner, rows, series, {title, subtitle, "contenders", "time, µs"});
    };
    draw({0, 0}, both, hosts, "Acquire and release: NIC and host agent", "MCS lock, mean");
    if (has_xdp) {
        const char* const over = "over XDP, mean";
        draw({row_chart_width, 0}, both, kinds, "Acquire and release: kinds of lock", over);
        draw({0, row_chart_height}, rows_of(result, quantities::acquire), kinds, "Acquire", over);
        draw({row_chart_width, row_chart_height}, rows_of(result, quantities::release), kinds, "Release", over);
    }
    svg.foot(origin_of(result));
    return svg.finish();
}

std::string picture_of_random_access(const Json& result) {
    Svg svg(row_chart_width + 20, row_chart_height);
    draw_rows(
        &svg, {0, 0}, rows_of(result, quantities::random_access), {"syncline", "hpcc"},
        {"RandomAccess of the HPC Challenge",
         fmt::format("table of 2^{} words, verified, mean", result.at("parameters").at("log2_words").get<uint64_t>()),
         "nodes", "updates, millions a second"},
        1e6);
    svg.foot(origin_of(result));
    return svg.finish();
}

}  // namespace syncline::bench
