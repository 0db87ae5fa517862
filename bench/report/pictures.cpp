// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/pictures.h"

#include <algorithm>
#include <map>

#include "base/failure.h"
#include "bench/report/panels.h"

namespace syncline::bench {

namespace {

constexpr const char* reading =
    "Points are medians; whiskers at them reach from the least to the greatest median of a round.";

// The tree of the dimension that is best for each number of nodes, as a series of its own.
void add_best_trees(std::vector<Row>* rows) {
    for (Row& row : *rows) {
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
}

// The trees of the last row, each dimension as a row.
std::vector<Row> rows_of_dimensions(const Row& row) {
    std::map<unsigned long, Row> rows;
    for (const NamedCell& named : row.cells) {
        const size_t number = named.series.find_last_of(' ') + 1;
        const std::string executor_and_tree = named.series.substr(0, number - (number > 0));
        if (executor_and_tree.ends_with(" tree")) {
            Row& dimension = rows[std::stoul(named.series.substr(number))];
            dimension.name = named.series.substr(number);
            dimension.cells.push_back({executor_and_tree, named.cell});
        }
    }
    std::vector<Row> in_order;
    for (auto& [dimension, of_it] : rows) {
        in_order.push_back(std::move(of_it));
    }
    return in_order;
}

}  // namespace

Figure picture_of(const Json& result) {
    static const std::map<std::string, Figure (*)(const Json&)> pictures = {
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
    Figure figure = found->second(result);
    figure.foot = fmt::format("{} {}", reading, origin_of(result));
    return figure;
}

Figure picture_of_barrier(const Json& result) {
    std::vector<Row> rows = rows_of(result, quantities::barrier);
    Figure figure;
    if (rows.empty()) {
        return figure;
    }
    const std::vector<Row> dimensions = rows_of_dimensions(rows.back());
    add_best_trees(&rows);
    add_panel(&figure, {.title = "Barrier: by the NICs and by the hosts",
                        .subtitle = "at node 0; each tree of its best dimension",
                        .at = number_axis("nodes"),
                        .value = time_axis("latency"),
                        .series = lines_over_rows(rows, {"nic exchange", "nic tree", "host exchange", "host tree"})});
    if (dimensions.size() > 1) {
        add_panel(&figure, {.title = fmt::format("Barrier by a tree, {} nodes", rows.back().name),
                            .subtitle = "each dimension of the tree",
                            .at = {"dimension of the tree", Scale::kLinear},
                            .value = time_axis("latency"),
                            .series = lines_over_rows(dimensions, {"nic tree", "host tree"})});
    }
    return figure;
}

Figure picture_of_fence(const Json& result) {
    const std::vector<Row> by_nodes = rows_of(result, quantities::fence_after_all);
    const std::vector<Row> by_targets = rows_of(result, quantities::fence_after_some);
    Figure figure;
    add_panel(&figure, {.title = "Fence and barrier, by nodes",
                        .subtitle = "behind writes of each process to all others",
                        .at = number_axis("nodes"),
                        .value = time_axis("latency"),
                        .series = lines_over_rows(by_nodes, series_of(by_nodes))});
    if (!by_nodes.empty()) {
        add_panel(&figure, {.title = fmt::format("Fence and barrier, {} nodes", by_nodes.back().name),
                            .subtitle = "behind writes of each process to some others",
                            .at = number_axis("processes that each one has written to"),
                            .value = time_axis("latency"),
                            .series = lines_over_rows(by_targets, series_of(by_targets))});
    }
    return figure;
}

Figure picture_of_lock(const Json& result) {
    const std::vector<std::string> agents = {"xdp mcs", "udp-poll mcs", "udp-block mcs"};
    const std::vector<std::string> kinds = {"xdp mcs", "xdp local-release", "xdp ticket", "xdp hybrid"};
    Figure figure;
    const auto add = [&](const Quantity& quantity, const std::vector<std::string>& series, const char* title,
                         const char* subtitle) {
        add_panel(&figure, {.title = title,
                            .subtitle = subtitle,
                            .at = number_axis("contenders"),
                            .value = time_axis(),
                            .series = lines_over_rows(rows_of(result, quantity), series)});
    };
    add(quantities::acquire_and_release, agents, "MCS lock: NIC and host agent", "an acquire and its release");
    add(quantities::acquire_and_release, kinds, "Kinds of lock over XDP", "an acquire and its release");
    add(quantities::acquire, kinds, "Acquire, kinds of lock over XDP", "from the request until the lock is held");
    add(quantities::release, kinds, "Release, kinds of lock over XDP", "until the releasing process may go on");
    return figure;
}

Figure picture_of_random_access(const Json& result) {
    const std::vector<Row> rows = rows_of(result, quantities::random_access);
    Figure figure{.columns = 1};
    add_panel(&figure, {.title = "RandomAccess of the HPC Challenge",
                        .subtitle = fmt::format("verified; a table of 2^{} words",
                                                result.at("parameters").at("log2_words").get<uint64_t>()),
                        .at = number_axis("nodes"),
                        .value = rate_axis("updates"),
                        .series = lines_over_rows(rows, {"syncline", "hpcc"}, 1)});
    return figure;
}

}  // namespace syncline::bench
