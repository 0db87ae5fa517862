// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench shmem`: the time of each operation, and how many times quicker than the peer this library is.
#include <algorithm>

#include "bench/report/panels.h"
#include "bench/report/pictures.h"
#include "bench/report/shmem_operations.h"

namespace syncline::bench {

namespace {

double time_of(double rate) {
    return rate > 0 ? 1e9 / rate : 0;
}

// Rates become the time of one operation.
std::vector<Row> rows_of_times(const Json& result) {
    std::vector<Row> rows = rows_of(result, quantities::shmem_time);
    for (const ShmemOperation& operation : shmem_operations) {
        for (Row& row : rows) {
            for (NamedCell& named : row.cells) {
                if (operation.rate && row.name == operation.name) {
                    named.cell.median = time_of(named.cell.median);
                    std::transform(named.cell.batches.begin(), named.cell.batches.end(), named.cell.batches.begin(),
                                   time_of);
                }
            }
        }
    }
    return titled(rows, shmem_operations);
}

}  // namespace

std::string amount(const ShmemOperation& operation, double value) {
    if (operation.rate) {
        return fmt::format("{:.2f} M/s", value / 1e6);
    }
    return value < 1000 ? fmt::format("{:.1f} ns", value) : fmt::format("{:.2f} us", value / 1e3);
}

std::string place_of(uint64_t pes, uint64_t nodes) {
    return nodes == 1 ? fmt::format("{} PEs on one node", pes)
                      : fmt::format("{} PEs on {} nodes of a test bed, which share this machine's CPUs", pes, nodes);
}

Figure picture_of_shmem(const Json& result) {
    const std::vector<Row> rows = rows_of_times(result);
    const std::vector<std::string> libraries = series_of(rows);
    const Json& parameters = result.at("parameters");
    Panel panel = dots_panel("OpenSHMEM: the time of one operation",
                             place_of(parameters.at("pes"), parameters.at("nodes")), time_axis(), rows);
    if (libraries.size() > 1) {
        note_times_quicker(&panel, rows, libraries[0], libraries[1]);
    }
    Figure figure{.columns = 1};
    add_panel(&figure, std::move(panel));
    return figure;
}

}  // namespace syncline::bench
