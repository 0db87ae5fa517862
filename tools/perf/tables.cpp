// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "bench/report/table.h"
#include "tools/perf/report.h"

namespace syncline::perf {
namespace {

using bench::Row;
using bench::Text;

constexpr double ns_in_us = 1e3;
constexpr double bytes_in_mb = 1e6;
constexpr double none = std::numeric_limits<double>::quiet_NaN();

// At least three digits.
std::string digits(double value) {
    if (std::isnan(value)) {
        return "-";
    }
    const int decimals = value > 0 ? 2 - static_cast<int>(std::floor(std::log10(value))) : 0;
    return fmt::format("{:.{}f}", value, std::max(decimals, 0));
}

using Value = std::function<double(const Step& step, const Measured& measured)>;

struct Column {
    const char* head;
    Value value;  // NaN: there is none
};

const std::vector<Column>& columns() {
    static const std::vector<Column> all = {
        {"min us", [](const Step&, const Measured& one) { return one.time.min / ns_in_us; }},
        {"median us", [](const Step&, const Measured& one) { return one.time.median / ns_in_us; }},
        {"p90 us", [](const Step&, const Measured& one) { return one.time.p90 / ns_in_us; }},
        {"p99 us", [](const Step&, const Measured& one) { return one.time.p99 / ns_in_us; }},
        {"max us", [](const Step&, const Measured& one) { return one.time.max / ns_in_us; }},
        {"operations/s",
         [](const Step&, const Measured& one) { return one.rate.median != 0 ? one.rate.median : none; }},
        {"MB/s",
         [](const Step& step, const Measured& one) {
             return step.entry->unit != 0 && one.rate.median != 0
                        ? one.rate.median * static_cast<double>(step.bytes) / bytes_in_mb
                        : none;
         }},
    };
    return all;
}

std::string name_of(const Step& step) {
    return step.entry->unit != 0 ? std::to_string(step.bytes) : step.entry->name;
}

std::string place_of(int pe) {
    return fmt::format("PE {} (node {})", pe, Job::node_of(pe));
}

std::string text_of_cell(const std::string&, const bench::Cell& cell) {
    return digits(cell.median);
}

// A line for each step, without the columns that no step has a number for.
void add_steps(Text* text, const Section& section, const std::vector<Measured>& measured) {
    std::vector<Row> rows;
    for (const Column& column : columns()) {
        Row row{column.head, {}};
        for (size_t i = 0; i < measured.size(); i++) {
            row.cells.push_back({name_of(section.steps[i]), {.median = column.value(section.steps[i], measured[i])}});
        }
        if (std::any_of(row.cells.begin(), row.cells.end(),
                        [](const auto& one) { return !std::isnan(one.cell.median); })) {
            rows.push_back(row);
        }
    }
    bench::add_table(text, {16, 13}, section.is_sized() ? "bytes" : "operation", rows, text_of_cell);
}

// The least and the greatest number, and whose they are.
void add_extremes(Text* text, std::vector<std::pair<double, Pair>> values) {
    std::sort(values.begin(), values.end(), [](const auto& one, const auto& other) { return one.first < other.first; });
    const auto& [least, at_least] = values.front();
    const auto& [most, at_most] = values.back();
    bench::add(text, "least {} ({} to {}), median {}, greatest {} ({} to {})\n", digits(least), at_least.from,
               at_least.to, digits(values[values.size() / 2].first), digits(most), at_most.from, at_most.to);
}

// From the PE of the line to that of the column.
void add_matrix(Text* text, const Section& section, const Numbers& numbers, size_t step, const Value& value) {
    std::vector<Row> rows;
    std::vector<std::pair<double, Pair>> values;
    for (size_t i = 0; i < section.pairs.size(); i++) {
        const Pair pair = section.pairs[i];
        const std::string to = fmt::format("to {}", pair.to);
        auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& one) { return one.name == to; });
        if (row == rows.end()) {
            row = rows.insert(row, Row{to, {}});
        }
        values.emplace_back(value(section.steps[step], numbers[i][step]), pair);
        row->cells.push_back({fmt::format("from {}", pair.from), {.median = values.back().first}});
    }
    std::sort(rows.begin(), rows.end(), [](const Row& one, const Row& other) {
        return std::stoi(one.name.substr(3)) < std::stoi(other.name.substr(3));
    });
    rows.front().cells.insert(rows.front().cells.begin(), {"from" + rows.front().name.substr(2), {.median = none}});
    bench::add_table(text, {12, 12}, "PE", rows, text_of_cell);
    add_extremes(text, std::move(values));
}

// Median times, and the rate: of data as a bandwidth.
bool is_in_matrices(const Column& column, const Step& step) {
    const std::string head = column.head;
    return head == "median us" || head == (step.entry->unit != 0 ? "MB/s" : "operations/s");
}

void add_matrices(Text* text, const Section& section, const Numbers& numbers, const Job& job) {
    const Pair first = section.pairs.front();
    bench::add(text, "\nfrom the PE of the line to that of the column; {} to {} is executed by {}\n",
               place_of(first.from), place_of(first.to), job.executor(first));
    for (size_t i = 0; i < section.steps.size(); i++) {
        const Step& step = section.steps[i];
        const std::string bytes = step.entry->unit != 0 ? fmt::format(", {} bytes", step.bytes) : "";
        for (const Column& column : columns()) {
            if (is_in_matrices(column, step) && !std::isnan(column.value(step, numbers.front()[i]))) {
                bench::add(text, "\n{}{}: {}\n", step.entry->name, bytes, column.head);
                add_matrix(text, section, numbers, i, column.value);
            }
        }
    }
}

std::string title_of(const Section& section, const Pair& pair, const Job& job) {
    const std::string what = section.is_sized() ? section.steps.front().entry->name : "operations of one size";
    if (section.of_all_pes()) {
        return fmt::format("{} of all {} PEs", section.steps.front().entry->name, job.size());
    }
    return fmt::format("{} from {} to {}: executed by {}", what, place_of(pair.from), place_of(pair.to),
                       job.executor(pair));
}

}  // namespace

std::string tables_of(const Section& section, const Numbers& numbers, const Job& job) {
    Text text;
    if (section.matrix) {
        add_matrices(&text, section, numbers, job);
        return fmt::to_string(text);
    }
    for (size_t i = 0; i < section.pairs.size(); i++) {
        bench::add(&text, "\n{}\n", title_of(section, section.pairs[i], job));
        add_steps(&text, section, numbers[i]);
    }
    return fmt::to_string(text);
}

}  // namespace syncline::perf
