// SPDX-License-Identifier: BSD-3-Clause
// The JSON of every result: how it begins, and rows of numbers into it and out of it again. Pictures are drawn from it,
// so `syncline bench plot` draws a file as the measurement that wrote the file did.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/report/machine.h"
#include "bench/report/results.h"

namespace syncline::bench {

using Json = nlohmann::ordered_json;

// Names the benchmark ("syncline bench lock"), the version and the machine.
Json new_result(const std::string& benchmark, const Machine& machine);
std::string text_of(const Json& result);
// For the foot of a picture: version and machine.
std::string origin_of(const Json& result);

// By series, then by row.
Json json_of_rows(const std::vector<Row>& rows);
std::vector<Row> rows_of_json(const Json& section);
Cell cell_of_json(const Json& json);
// Appends it to the row of that name, which is made if there is none yet.
void add_cell(std::vector<Row>* rows, const std::string& row, const std::string& series, const Cell& cell);

}  // namespace syncline::bench
