// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench bulk`: for links of each MTU the time of each operation beside the peer's, of lists of pieces beside
// as many single operations, and rates.
#include <algorithm>

#include "bench/report/bulk_quantities.h"
#include "bench/report/panels.h"
#include "bench/report/pictures.h"

namespace syncline::bench {

namespace {

// In the order in which they were measured.
std::vector<int> mtus_of(const Json& result) {
    std::vector<int> mtus;
    for (const Json& entry : result.at("series")) {
        const int mtu = entry.at("at").at("mtu");
        if (std::find(mtus.begin(), mtus.end(), mtu) == mtus.end()) {
            mtus.push_back(mtu);
        }
    }
    return mtus;
}

Panel operations_panel(const Json& result, int mtu) {
    const std::vector<Row> rows = titled(rows_of(result, quantities::bulk, {{"mtu", mtu}}), bulk_subjects);
    Panel panel = dots_panel(fmt::format("One operation between nodes, MTU {}", mtu),
                             "until it is complete at the target", time_axis(), rows);
    note_times_quicker(&panel, rows, conditions::xdp, conditions::peer);
    return panel;
}

Panel pieces_panel(const Json& result, int mtu) {
    const std::vector<Row> rows = titled(rows_of(result, quantities::pieces, {{"mtu", mtu}}), bulk_subjects);
    Panel panel =
        dots_panel(fmt::format("64 pieces in one call, MTU {}", mtu), "pieces 1 KiB apart", time_axis(), rows);
    note_times_quicker(&panel, rows, conditions::pieces, conditions::each);
    return panel;
}

Panel rates_panel(const Json& result, int mtu) {
    return dots_panel(fmt::format("Packed xors, MTU {}", mtu), "of random words in a table at another node",
                      rate_axis("xors"), titled(rows_of(result, quantities::rate, {{"mtu", mtu}}), bulk_subjects), 1);
}

}  // namespace

Figure picture_of_bulk(const Json& result) {
    const std::vector<int> mtus = mtus_of(result);
    Figure figure{.columns = mtus.size() > 1 ? 2U : 1U};
    for (const auto& panel_of : {operations_panel, pieces_panel, rates_panel}) {
        for (const int mtu : mtus) {
            add_panel(&figure, panel_of(result, mtu));
        }
    }
    return figure;
}

}  // namespace syncline::bench
