// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/result_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/version.h"

namespace syncline::bench {

namespace {

constexpr int format_version = 1;

Json entry_of(const Quantity& quantity, const Named& named, const Cell& cell) {
    Json entry;
    entry["benchmark"] = quantity.benchmark;
    if (!named.subject.empty()) {
        entry["subject"] = named.subject;
    }
    entry["condition"] = named.condition;
    if (!named.at.empty()) {
        entry["at"] = named.at;
    }
    entry["unit"] = quantity.unit;
    entry["better"] = quantity.better == Better::kLower ? "lower" : "higher";
    entry["median"] = cell.median;
    for (const auto& [name, value] :
         {std::pair{"min", cell.min}, {"p90", cell.p90}, {"p99", cell.p99}, {"max", cell.max}, {"mean", cell.mean}}) {
        if (value != 0) {
            entry[name] = value;
        }
    }
    entry["medians"] = cell.batches;
    return entry;
}

void add_bases(Json* entry, const Quantity& quantity, const NamedCell& own, const Row& row, IsBase is_base) {
    for (const NamedCell& base : row.cells) {
        if (is_base(own.series, base.series)) {
            (*entry)["times_better_than"][base.series] = times_better(quantity, own.cell, base.cell);
        }
    }
}

Cell cell_of(const Json& entry) {
    return {.median = entry.at("median"),
            .p99 = entry.value("p99", 0.0),
            .mean = entry.value("mean", 0.0),
            .batches = entry.at("medians"),
            .min = entry.value("min", 0.0),
            .p90 = entry.value("p90", 0.0),
            .max = entry.value("max", 0.0)};
}

std::string row_name_of(const Json& entry, const Quantity& quantity) {
    if (quantity.by[0] == '\0') {
        return entry.at("subject");
    }
    return std::to_string(entry.at("at").at(quantity.by).get<uint64_t>());
}

// The element of that name, made at the end if there is none yet.
template <typename Element>
Element& find_or_add(std::vector<Element>* all, std::string Element::* name_of, const std::string& name) {
    auto found = std::find_if(all->begin(), all->end(), [&](const Element& known) { return known.*name_of == name; });
    if (found == all->end()) {
        found = all->insert(all->end(), Element{});
        (*found).*name_of = name;
    }
    return *found;
}

template <typename Take>
void each_entry(const Json& result, const Quantity& quantity, Take&& take) {
    for (const Json& entry : result.at("series")) {
        if (entry.at("benchmark") == quantity.benchmark) {
            take(entry, entry.at("condition").get<std::string>());
        }
    }
}

// As a field of the entry, or as a parameter of it.
bool has_all(const Json& entry, const Json& where) {
    static const Json none = Json::object();
    const Json& at = entry.contains("at") ? entry.at("at") : none;
    for (const auto& [name, value] : where.items()) {
        if (entry.value(name, at.value(name, Json())) != value) {
            return false;
        }
    }
    return true;
}

}  // namespace

Json new_result(const std::string& command, const Machine& machine) {
    Json json;
    json["format"] = format_version;
    json["command"] = command;
    json["version"] = version();
    json["machine"] = {
        {"cpu", machine.cpu}, {"cores", machine.cores}, {"kernel", machine.kernel}, {"compiler", machine.compiler}};
    json["date"] = machine.date;
    json["parameters"] = Json::object();
    json["remarks"] = Json::array();
    json["series"] = Json::array();
    return json;
}

std::string text_of(const Json& result) {
    return result.dump(2) + "\n";
}

double times_better(const Quantity& quantity, const Cell& cell, const Cell& base) {
    return quantity.better == Better::kLower ? base.median / cell.median : cell.median / base.median;
}

std::string origin_of(const Json& result) {
    const Json& machine = result.at("machine");
    const Machine parts = {machine.at("cpu"), machine.at("cores"), machine.at("kernel"), machine.at("compiler"),
                           result.at("date")};
    const std::string version = result.value("version", "");
    return version.empty() ? parts.line() : fmt::format("Syncline {}; {}", version, parts.line());
}

void add_entry(Json* result, const Quantity& quantity, const Named& named, const Cell& cell) {
    (*result)["series"].push_back(entry_of(quantity, named, cell));
}

void add_rows(Json* result, const Quantity& quantity, const std::vector<Row>& rows, IsBase is_base, const Json& at) {
    for (const Row& row : rows) {
        for (const NamedCell& named : row.cells) {
            Named name = {"", named.series, at};
            if (quantity.by[0] != '\0') {
                name.at[quantity.by] = std::stoull(row.name);
            } else {
                name.subject = row.name;
            }
            Json entry = entry_of(quantity, name, named.cell);
            if (is_base != nullptr) {
                add_bases(&entry, quantity, named, row, is_base);
            }
            (*result)["series"].push_back(std::move(entry));
        }
    }
}

void add_lines(Json* result, const Quantity& quantity, const std::vector<Line>& lines) {
    for (const Line& line : lines) {
        for (const Point& point : line.points) {
            const Json at = {{quantity.by, point.rate_per_s}};
            add_entry(result, quantity, {"", line.series, at}, point.value);
        }
    }
}

std::vector<Row> rows_of(const Json& result, const Quantity& quantity, const Json& where) {
    std::vector<Row> rows;
    each_entry(result, quantity, [&](const Json& entry, const std::string& condition) {
        if (!has_all(entry, where)) {
            return;
        }
        Row& row = find_or_add(&rows, &Row::name, row_name_of(entry, quantity));
        row.cells.push_back({condition, cell_of(entry)});
    });
    return rows;
}

std::vector<Line> lines_of(const Json& result, const Quantity& quantity) {
    std::vector<Line> lines;
    each_entry(result, quantity, [&](const Json& entry, const std::string& condition) {
        Line& line = find_or_add(&lines, &Line::series, condition);
        line.points.push_back({entry.at("at").at(quantity.by), cell_of(entry)});
    });
    return lines;
}

}  // namespace syncline::bench
