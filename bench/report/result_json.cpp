// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/result_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/version.h"

namespace syncline::bench {

Json new_result(const std::string& benchmark, const Machine& machine) {
    Json json;
    json["benchmark"] = benchmark;
    json["version"] = version();
    json["machine"] = machine.line();
    return json;
}

std::string text_of(const Json& result) {
    return result.dump(2) + "\n";
}

std::string origin_of(const Json& result) {
    const Json& machine = result.at("machine");
    std::string text = result.contains("version")
                           ? fmt::format("Syncline {}; ", result.at("version").get_ref<const std::string&>())
                           : "";
    if (machine.is_string()) {
        return text + machine.get<std::string>();
    }
    const Machine parts = {machine.at("cpu"), machine.at("cores"), machine.at("kernel"), machine.at("compiler"),
                           machine.at("date")};
    return text + parts.line();
}

Json json_of_rows(const std::vector<Row>& rows) {
    Json json;
    for (const Row& row : rows) {
        for (const NamedCell& named : row.cells) {
            json[named.series][row.name] = {{"median", named.cell.median},
                                            {"p99", named.cell.p99},
                                            {"mean", named.cell.mean},
                                            {"batch_medians", named.cell.batches}};
        }
    }
    return json;
}

std::vector<Row> rows_of_json(const Json& section) {
    std::vector<Row> rows;
    for (const auto& [series, cells] : section.items()) {
        for (const auto& [row, cell] : cells.items()) {
            add_cell(&rows, row, series, cell_of_json(cell));
        }
    }
    return rows;
}

Cell cell_of_json(const Json& json) {
    return {json.at("median"), json.value("p99", 0.0), json.at("mean"), json.at("batch_medians")};
}

void add_cell(std::vector<Row>* rows, const std::string& row, const std::string& series, const Cell& cell) {
    auto found = std::find_if(rows->begin(), rows->end(), [&](const Row& known) { return known.name == row; });
    if (found == rows->end()) {
        found = rows->insert(rows->end(), {row, {}});
    }
    found->cells.push_back({series, cell});
}

}  // namespace syncline::bench
