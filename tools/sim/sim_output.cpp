// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sim/sim_output.h"

#include "base/failure.h"
#include "tools/bench/text.h"

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

// All parameters, those too that the experiment does not name.
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

// As a field of CSV.
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

std::string json_of(const sim::Experiment& experiment, const std::vector<sim::Point>& points) {
    Json json;
    json["simulation"] = experiment.description;
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
    bench::add(&text, "refused\n");
    for (const sim::Point& point : points) {
        for (const sim::Experiment::Axis& axis : experiment.sweep) {
            bench::add(&text, "{},", field_of(point.values.at(axis.first)));
        }
        for (size_t i = 0; first != nullptr && i < first->values().size(); i++) {
            bench::add(&text, "{},", point.results ? field_of(point.results->values()[i].second) : "");
        }
        bench::add(&text, "{}\n", point.refused.empty() ? "" : quoted(point.refused));
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
        bench::add(&text, "{:>24}\n",
                   point.results ? fmt::format("{:.2f}", point.results->number(column)) : "there is none");
    }
    return fmt::to_string(text);
}

}  // namespace syncline::tools
