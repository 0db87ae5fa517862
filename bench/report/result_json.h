// SPDX-License-Identifier: BSD-3-Clause
// The file of a result, of one form for all benchmarks: bench/results/README.md has its fields. Commands write it here,
// and pictures read it here, so `syncline bench plot` draws a file as the measurement that wrote the file did.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/report/machine.h"
#include "bench/report/quantities.h"
#include "bench/report/results.h"

namespace syncline::bench {

using Json = nlohmann::ordered_json;

// Without parameters, remarks and series yet. `command`: "syncline bench lock".
Json new_result(const std::string& command, const Machine& machine);
std::string text_of(const Json& result);
// Version and machine, for the foot of a picture.
std::string origin_of(const Json& result);

// By how many times the cell's median is better than the base's.
double times_better(const Quantity& quantity, const Cell& cell, const Cell& base);
// Whether the entry of `condition` states how many times better it is than that of `base`.
using IsBase = bool (*)(const std::string& condition, const std::string& base);

// Where an entry stands among those of its quantity.
struct Named {
    std::string subject;  // "": none
    std::string condition;
    Json at;
};
void add_entry(Json* result, const Quantity& quantity, const Named& named, const Cell& cell);
// Appends an entry to `series` for each cell. `at` has parameters that all these entries share.
void add_rows(Json* result, const Quantity& quantity, const std::vector<Row>& rows, IsBase is_base = nullptr,
              const Json& at = Json::object());
void add_lines(Json* result, const Quantity& quantity, const std::vector<Line>& lines);

// The entries of the quantity's benchmark, as they were added; empty if there are none. Only those that
// have the fields and parameters of `where`: {{"subject", "get_4k"}, {"mtu", 9000}}.
std::vector<Row> rows_of(const Json& result, const Quantity& quantity, const Json& where = Json::object());
std::vector<Line> lines_of(const Json& result, const Quantity& quantity);

}  // namespace syncline::bench
