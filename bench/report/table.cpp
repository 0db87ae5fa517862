// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/table.h"

namespace syncline::bench {

void add_table(Text* text, Table table, const std::string& corner, const std::vector<Row>& rows, const CellText& cell,
               const std::function<std::string(const std::string& condition)>& ending) {
    add(text, "{:<{}}", corner, table.first);
    for (const Row& row : rows) {
        add(text, "{:>{}}", row.name, table.column);
    }
    add(text, "{}\n", ending ? ending("") : "");
    for (const NamedCell& named : rows.front().cells) {
        add(text, "{:<{}}", named.series, table.first);
        for (const Row& row : rows) {
            const Cell* const found = row.find(named.series);
            add(text, "{:>{}}", found != nullptr ? cell(named.series, *found) : "-", table.column);
        }
        add(text, "{}\n", ending ? ending(named.series) : "");
    }
}

void add_comparison(Text* text, Table table, const std::string& name, const std::vector<Row>& rows,
                    const std::string& now, const std::string& before, const PairText& pair,
                    const std::string& ending) {
    if (rows.front().find(now) == nullptr || rows.front().find(before) == nullptr) {
        return;
    }
    add(text, "{:<{}}", "  " + name, table.first);
    for (const Row& row : rows) {
        add(text, "{:>{}}", pair(*row.find(now), *row.find(before)), table.column);
    }
    add(text, "{}\n", ending);
}

std::vector<Row> transposed(const std::vector<Row>& rows) {
    std::vector<Row> result;
    if (rows.empty()) {
        return result;
    }
    for (const NamedCell& named : rows.front().cells) {
        Row row{named.series, {}};
        for (const Row& cells : rows) {
            if (const Cell* const cell = cells.find(named.series); cell != nullptr) {
                row.cells.push_back({cells.name, *cell});
            }
        }
        result.push_back(std::move(row));
    }
    return result;
}

}  // namespace syncline::bench
