// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench armci`: the time of each operation, and how many times quicker than the peer this library is.
#include "bench/report/armci_operations.h"
#include "bench/report/panels.h"
#include "bench/report/pictures.h"
#include "bench/report/shmem_operations.h"

namespace syncline::bench {

namespace {

bool is_transfer(const Row& row) {
    return row.name.starts_with("put ") || row.name.starts_with("get ");
}

std::string links_and_place_of(const Json& parameters) {
    const std::string mtu = parameters.contains("mtu") ? fmt::format(", MTU {}", parameters.at("mtu").get<int>()) : "";
    return place_of(parameters.at("pes"), parameters.at("nodes")) + mtu;
}

}  // namespace

Figure picture_of_armci(const Json& result) {
    const std::vector<Row> measured = rows_of(result, quantities::armci);
    const std::vector<std::string> libraries = series_of(measured);
    Figure figure{.columns = 1};
    const auto add = [&](const char* title, const std::vector<Row>& rows) {
        Panel panel =
            dots_panel(title, links_and_place_of(result.at("parameters")), time_axis("time of one operation"), rows);
        if (libraries.size() > 1) {
            note_times_quicker(&panel, rows, libraries[0], libraries[1]);
        }
        add_panel(&figure, std::move(panel));
    };
    std::vector<Row> transfers, others;
    for (const Row& row : titled(measured, armci_operations)) {
        (is_transfer(row) ? transfers : others).push_back(row);
    }
    add("ARMCI: put and get", transfers);
    add("ARMCI: accumulate and synchronise", others);
    add("Global Arrays", titled(measured, global_arrays_operations));
    return figure;
}

}  // namespace syncline::bench
