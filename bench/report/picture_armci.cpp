// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench armci`: bars from 1 on a logarithmic scale, which say how many times better than the peer this
// library is, or without a peer, how many nanoseconds an operation takes.
#include "bench/report/armci_operations.h"
#include "bench/report/log_bars.h"
#include "bench/report/pictures.h"
#include "bench/report/shmem_operations.h"

namespace syncline::bench {

namespace {

std::string armci_title(const std::string& name) {
    for (const ArmciOperation& operation : armci_operations) {
        if (operation.name == name) {
            return operation.title;
        }
    }
    for (const ArmciOperation& operation : global_arrays_operations) {
        if (operation.name == name) {
            return operation.title;
        }
    }
    return name;
}

Bar ratio_bar(const Json& ratio) {
    const double got = ratio.at("got");
    std::string label = got < 100 ? fmt::format("{:.2f}x", got) : fmt::format("{:.0f}x", got);
    if (ratio.contains("wanted")) {
        label += fmt::format(" of {:g}", ratio.at("wanted").get<double>());
    }
    return {ratio.at("title"), got, label};
}

Bar time_bar(const Row& row) {
    const double ns = row.cells.front().cell.median;
    return {armci_title(row.name), ns, ns < 1000 ? fmt::format("{:.1f} ns", ns) : fmt::format("{:.2f} us", ns / 1e3)};
}

}  // namespace

std::string picture_of_armci(const Json& result) {
    const std::vector<Row> rows = rows_of(result, quantities::armci);
    const std::vector<NamedCell>& libraries = rows.at(0).cells;
    const bool has_peer = libraries.size() > 1;
    std::vector<Bar> bars;
    for (const Json& ratio : result.at("ratios")) {
        if (has_peer) {
            bars.push_back(ratio_bar(ratio));
        }
    }
    for (const Row& row : rows) {
        if (!has_peer) {
            bars.push_back(time_bar(row));
        }
    }
    const Json& parameters = result.at("parameters");
    const std::string& own = libraries[0].series;
    const std::string place = place_of(parameters.at("pes"), parameters.at("nodes"));
    return picture_of_bars(bars,
                           {has_peer ? fmt::format("{}: times better than {}", own, libraries[1].series)
                                     : fmt::format("{}: one operation", own),
                            has_peer ? place + "; behind \"of\", the ratio that is wanted" : place,
                            has_peer ? "times better (logarithmic scale)" : "time, ns (logarithmic scale)", ""},
                           origin_of(result));
}

}  // namespace syncline::bench
