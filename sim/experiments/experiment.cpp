// SPDX-License-Identifier: BSD-3-Clause
#include "sim/experiments/experiment.h"

#include <toml++/toml.h>

#include "base/failure.h"
#include "base/toml_depth.h"
#include "sim/experiments/models.h"
#include "sim/presets/presets.h"

namespace syncline::sim {

namespace {

Value value_of(const toml::node& node, const std::string& key, const std::string& name) {
    if (const auto* const flag = node.as_boolean()) {
        return flag->get();
    }
    if (const auto* const integer = node.as_integer()) {
        return integer->get();
    }
    if (const auto* const number = node.as_floating_point()) {
        return number->get();
    }
    if (const auto* const text = node.as_string()) {
        return text->get();
    }
    fail(SYNCLINE_ERR_INVALID, "{}: {} is neither a number nor a text nor true or false", name, key);
}

void flatten(const toml::table& table, const std::string& prefix, const std::string& name, Values* values) {
    for (const auto& [key, node] : table) {
        const std::string path = prefix + std::string(key.str());
        if (const toml::table* const inner = node.as_table()) {
            flatten(*inner, path + ".", name, values);
        } else {
            (*values)[path] = value_of(node, path, name);
        }
    }
}

void read_sweep(const toml::table& table, const std::string& name, Experiment* experiment) {
    for (const auto& [key, node] : table) {
        const toml::array* const list = node.as_array();
        if (list == nullptr || list->empty()) {
            fail(SYNCLINE_ERR_INVALID, "{}: sweep.\"{}\" is not a list of values", name, key.str());
        }
        Experiment::Axis axis = {std::string(key.str()), {}};
        for (const toml::node& item : *list) {
            axis.second.push_back(value_of(item, axis.first, name));
        }
        experiment->sweep.push_back(std::move(axis));
    }
}

std::string take_text(Values* values, const char* key, const std::string& name) {
    const auto found = values->find(key);
    if (found == values->end()) {
        return "";
    }
    if (!std::holds_alternative<std::string>(found->second)) {
        fail(SYNCLINE_ERR_INVALID, "{}: {} = {}: give a text in quotes", name, key, text_of(found->second));
    }
    std::string text = std::get<std::string>(found->second);
    values->erase(found);
    return text;
}

void take_plot(Values* values, const std::string& name, Experiment::Plot* plot) {
    plot->title = take_text(values, "plot.title", name);
    plot->x = take_text(values, "plot.x", name);
    plot->y = take_text(values, "plot.y", name);
    plot->x_label = take_text(values, "plot.x_label", name);
    plot->y_label = take_text(values, "plot.y_label", name);
}

void check(const Experiment& experiment, const std::string& name) {
    if (experiment.model.empty()) {
        fail(SYNCLINE_ERR_INVALID, "{}: the model is missing: add model = \"...\"", name);
    }
    try {
        for (const Values& values : experiment.points()) {
            make_model(experiment.model, values);
        }
    } catch (const Failure& failure) {
        fail(failure.status(), "{}: {}", name, failure.what());
    }
}

}  // namespace

Experiment parse_experiment(std::string_view text, const std::string& name) {
    Experiment experiment;
    Values values;
    if (const std::optional<size_t> line = line_of_deep_key(text)) {
        fail(SYNCLINE_ERR_INVALID, "{}:{}: a key has more than {} parts", name, *line, +toml_parts_max);
    }
    try {
        toml::table table = toml::parse(text, name);
        if (const toml::table* const sweep = table["sweep"].as_table()) {
            read_sweep(*sweep, name, &experiment);
            table.erase("sweep");
        }
        flatten(table, "", name, &values);
    } catch (const toml::parse_error& error) {
        fail(SYNCLINE_ERR_INVALID, "{}:{}: {}", name, error.source().begin.line, error.description());
    }
    if (const std::string base = take_text(&values, "base", name); !base.empty()) {
        const Experiment inherited = load_preset(base);
        experiment.model = inherited.model;
        experiment.values = inherited.values;
    }
    if (const std::string model = take_text(&values, "model", name); !model.empty()) {
        experiment.model = model;
    }
    experiment.description = take_text(&values, "description", name);
    take_plot(&values, name, &experiment.plot);
    values.merge(experiment.values);  // adds the base's values that the text does not give
    experiment.values = std::move(values);
    check(experiment, name);
    return experiment;
}

std::vector<Values> Experiment::points() const {
    std::vector<Values> points = {values};
    for (const Axis& axis : sweep) {
        std::vector<Values> more;
        for (const Values& point : points) {
            for (const Value& value : axis.second) {
                more.push_back(point);
                more.back()[axis.first] = value;
            }
        }
        points = std::move(more);
    }
    return points;
}

Experiment load_preset(std::string_view name) {
    const Preset* const preset = find_preset(name);
    if (preset == nullptr) {
        fail(SYNCLINE_ERR_INVALID, "there is no preset {}: `syncline sim presets` lists them", name);
    }
    return parse_experiment(preset->text, std::string(name));
}

}  // namespace syncline::sim
