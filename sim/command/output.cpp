// SPDX-License-Identifier: BSD-3-Clause
#include "sim/command/output.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/failure.h"
#include "base/version.h"
#include "bench/report/text.h"
#include "sim/experiments/models.h"

namespace syncline::tools {

namespace {

using Json = nlohmann::ordered_json;

Json json_of_value(const sim::Value& value) {
    return std::visit([](const auto& held) { return Json(held); }, value);
}

sim::Value value_of_json(const Json& json) {
    if (json.is_boolean()) {
        return json.get<bool>();
    }
    if (json.is_number_integer()) {
        return json.get<int64_t>();
    }
    if (json.is_number()) {
        return json.get<double>();
    }
    return json.get<std::string>();
}

// Returns all parameters, also those that the experiment does not name.
Json json_of_settings(const sim::Experiment& experiment) {
    const auto model = sim::make_model(experiment.model, experiment.values);
    sim::Lister lister;
    model->visit(&lister);
    Json json;
    for (const sim::Lister::Line& line : lister.lines()) {
        json[line.key] = json_of_value(line.value);
    }
    return json;
}

Json json_of_point(const sim::Experiment& experiment, const sim::Point& point) {
    Json json;
    json["varied"] = Json::object();
    for (const sim::Experiment::Axis& axis : experiment.sweep) {
        json["varied"][axis.first] = json_of_value(point.values.at(axis.first));
    }
    if (point.results) {
        json["results"] = json_of_results(*point.results);
    } else {
        json["refused"] = point.refused;
    }
    return json;
}

// Returns the value as a field of CSV.
std::string quoted(const std::string& text) {
    std::string field = "\"";
    for (const char c : text) {
        field += c == '"' ? "\"\"" : std::string(1, c);
    }
    return field + "\"";
}

std::string field_of(const sim::Value& value) {
    const auto* const text = std::get_if<std::string>(&value);
    return text != nullptr ? quoted(*text) : sim::text_of(value);
}

// The units of results, by the end of the name that the models give a result.
const char* unit_of(std::string_view name) {
    constexpr std::pair<std::string_view, const char*> units[] = {{"_us", "us"},          {"_ns", "ns"},
                                                                  {"_bytes", "B"},        {"_mbps", "MB/s"},
                                                                  {"_mops", "million/s"}, {"_per_node", "million/s"},
                                                                  {"_per_ms", "per ms"}};
    for (const auto& [end, unit] : units) {
        if (name.ends_with(end)) {
            return unit;
        }
    }
    return "";
}

const sim::Results* first_results(const std::vector<sim::Point>& points) {
    for (const sim::Point& point : points) {
        if (point.results) {
            return &*point.results;
        }
    }
    return nullptr;
}

}  // namespace

Json json_of_results(const sim::Results& results) {
    Json json;
    for (const auto& [name, value] : results.values()) {
        json[name] = json_of_value(value);
    }
    return json;
}

sim::Results results_of_json(const Json& json) {
    sim::Results results;
    for (const auto& [name, value] : json.items()) {
        results.add(name, value_of_json(value));
    }
    return results;
}

std::string rounded(double number) {
    constexpr int digits = 4;
    if (number == 0 || !std::isfinite(number)) {
        return fmt::format("{:g}", number);
    }
    const int places = digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(number))));
    return places > 9 ? fmt::format("{:.{}e}", number, digits - 1)
                      : fmt::format("{:.{}f}", number, std::max(places, 0));
}

std::string quantity(const std::string& name, const sim::Value& value) {
    const auto* const number = std::get_if<double>(&value);
    const std::string unit = unit_of(name);
    return (number != nullptr ? rounded(*number) : sim::text_of(value)) + (unit.empty() ? "" : " " + unit);
}

std::string results_text(const sim::Results& results) {
    bench::Text text;
    for (const auto& [name, value] : results.values()) {
        bench::add(&text, "{:>24}  {}\n", name, quantity(name, value));
    }
    return fmt::to_string(text);
}

std::string json_of(const sim::Experiment& experiment, const std::vector<sim::Point>& points) {
    Json json;
    json["simulation"] = experiment.description;
    json["version"] = version();
    json["model"] = experiment.model;
    json["settings"] = json_of_settings(experiment);
    json["points"] = Json::array();
    for (const sim::Point& point : points) {
        json["points"].push_back(json_of_point(experiment, point));
    }
    return json.dump(1) + "\n";
}

std::string csv_of(const sim::Experiment& experiment, const std::vector<sim::Point>& points) {
    bench::Text text;
    const sim::Results* const first = first_results(points);
    for (const sim::Experiment::Axis& axis : experiment.sweep) {
        bench::add(&text, "{},", axis.first);
    }
    for (size_t i = 0; first != nullptr && i < first->values().size(); i++) {
        bench::add(&text, "{},", first->values()[i].first);
    }
    bench::add(&text, "refused,version\n");
    for (const sim::Point& point : points) {
        for (const sim::Experiment::Axis& axis : experiment.sweep) {
            bench::add(&text, "{},", field_of(point.values.at(axis.first)));
        }
        for (size_t i = 0; first != nullptr && i < first->values().size(); i++) {
            bench::add(&text, "{},", point.results ? field_of(point.results->values()[i].second) : "");
        }
        bench::add(&text, "{},{}\n", point.refused.empty() ? "" : quoted(point.refused), quoted(version()));
    }
    return fmt::to_string(text);
}

std::string table_of(const sim::Experiment& experiment, const std::vector<sim::Point>& points) {
    bench::Text text;
    const sim::Results* const first = first_results(points);
    const std::string column = !experiment.plot.y.empty() ? experiment.plot.y
                               : first != nullptr         ? first->values().front().first
                                                          : "";
    for (const sim::Experiment::Axis& axis : experiment.sweep) {
        bench::add(&text, "{:>24} ", axis.first);
    }
    bench::add(&text, "{:>24}\n", column);
    for (const sim::Point& point : points) {
        for (const sim::Experiment::Axis& axis : experiment.sweep) {
            bench::add(&text, "{:>24} ", sim::text_of(point.values.at(axis.first)));
        }
        bench::add(&text, "{:>24}\n", point.results ? quantity(column, point.results->number(column)) : "not possible");
    }
    return fmt::to_string(text);
}

}  // namespace syncline::tools
