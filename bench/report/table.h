// SPDX-License-Identifier: BSD-3-Clause
// The tables that commands print: a column for each row of the results, a line for each condition.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/report/results.h"
#include "bench/report/text.h"

namespace syncline::bench {

struct Table {
    int first;   // the width of the first column, which names the lines
    int column;  // the width of every other one
};

using CellText = std::function<std::string(const std::string& condition, const Cell& cell)>;
using PairText = std::function<std::string(const Cell& now, const Cell& before)>;

// The head, with `corner` above the names, then the lines, which are those of the first column. If `ending` is given, a
// line ends with what it returns for the condition, and the head with what it returns for "".
void add_table(Text* text, Table table, const std::string& corner, const std::vector<Row>& rows, const CellText& cell,
               const std::function<std::string(const std::string& condition)>& ending = {});
// One line, which compares two conditions; none if either was not measured.
void add_comparison(Text* text, Table table, const std::string& name, const std::vector<Row>& rows,
                    const std::string& now, const std::string& before, const PairText& pair,
                    const std::string& ending = "");

// Rows of conditions instead of conditions of rows.
std::vector<Row> transposed(const std::vector<Row>& rows);

}  // namespace syncline::bench
