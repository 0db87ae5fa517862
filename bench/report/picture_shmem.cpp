// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench shmem`: bars from 1 on a logarithmic scale, which say how many times better than the peer this
// library is, or without a peer, how many nanoseconds an operation takes.
#include "bench/report/log_bars.h"
#include "bench/report/pictures.h"
#include "bench/report/shmem_operations.h"

namespace syncline::bench {

namespace {

Bar bar_of(const ShmemOperation& operation, const Row& row) {
    const double own = row.cells[0].cell.median;
    if (row.cells.size() == 1) {
        return {operation.title, operation.rate ? 1e9 / own : own, amount(operation, own)};
    }
    const double peer = row.cells[1].cell.median;
    const double times_better = operation.rate ? own / peer : peer / own;
    return {operation.title, times_better, fmt::format("{:.2f}x", times_better)};
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

std::string picture_of_shmem(const Json& result) {
    const std::vector<Row> rows = rows_of(result, quantities::shmem_time);
    std::vector<Bar> bars;
    for (const ShmemOperation& operation : shmem_operations) {
        for (const Row& row : rows) {
            if (row.name == operation.name) {
                bars.push_back(bar_of(operation, row));
            }
        }
    }
    const std::vector<NamedCell>& libraries = rows.at(0).cells;
    const std::string& own = libraries[0].series;
    const Json& parameters = result.at("parameters");
    const bool has_peer = libraries.size() > 1;
    return picture_of_bars(bars,
                           {has_peer ? fmt::format("{}: times better than {}", own, libraries[1].series)
                                     : fmt::format("{}: one operation", own),
                            place_of(parameters.at("pes"), parameters.at("nodes")),
                            has_peer ? "times better (logarithmic scale)" : "time, ns (logarithmic scale)", ""},
                           origin_of(result));
}

}  // namespace syncline::bench
