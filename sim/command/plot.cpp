// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "base/failure.h"
#include "base/version.h"
#include "bench/report/looks.h"
#include "sim/command/output.h"

namespace syncline::tools {

namespace {

double number_of(const sim::Value& value) {
    if (const auto* const integer = std::get_if<int64_t>(&value)) {
        return static_cast<double>(*integer);
    }
    if (const auto* const number = std::get_if<double>(&value)) {
        return *number;
    }
    fail(SYNCLINE_ERR_INVALID, "plot.x: {} is not a number", sim::text_of(value));
}

// Returns "tags = 32, ways = 4": the varied parameters besides x, by the last part of their names.
std::string series_of(const sim::Experiment& experiment, const sim::Point& point) {
    std::string name;
    for (const sim::Experiment::Axis& axis : experiment.sweep) {
        if (axis.first != experiment.plot.x) {
            name += fmt::format("{}{} = {}", name.empty() ? "" : ", ", axis.first.substr(axis.first.rfind('.') + 1),
                                sim::text_of(point.values.at(axis.first)));
        }
    }
    return name.empty() ? experiment.plot.y : name;
}

// Returns the lines in the order in which they first appear.
std::vector<bench::FigureSeries> lines_of(const sim::Experiment& experiment, const std::vector<sim::Point>& points) {
    std::vector<bench::FigureSeries> lines;
    for (const sim::Point& point : points) {
        if (!point.results) {
            continue;
        }
        const std::string name = series_of(experiment, point);
        auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& known) { return known.label == name; });
        if (line == lines.end()) {
            line = lines.insert(lines.end(), {name, bench::look_of(lines.size()), {}});
        }
        const double y = point.results->number(experiment.plot.y);
        line->samples.push_back({number_of(point.values.at(experiment.plot.x)), y, y, y});
    }
    for (bench::FigureSeries& line : lines) {
        std::sort(line.samples.begin(), line.samples.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    }
    return lines;
}

}  // namespace

void check_plot(const sim::Experiment& experiment) {
    const sim::Experiment::Plot& plot = experiment.plot;
    if (plot.x.empty() || plot.y.empty()) {
        fail(SYNCLINE_ERR_INVALID, "there is nothing to draw: the experiment does not set plot.x and plot.y");
    }
    const auto axis = std::find_if(experiment.sweep.begin(), experiment.sweep.end(),
                                   [&](const auto& varied) { return varied.first == plot.x; });
    if (axis == experiment.sweep.end()) {
        fail(SYNCLINE_ERR_INVALID, "plot.x = \"{}\": the sweep does not vary this parameter", plot.x);
    }
    for (const sim::Value& value : axis->second) {
        (void)number_of(value);
    }
}

bench::Figure plot_of(const sim::Experiment& experiment, const std::vector<sim::Point>& points) {
    check_plot(experiment);
    const sim::Experiment::Plot& plot = experiment.plot;
    bench::Figure figure = {.columns = 1, .foot = fmt::format("Simulated by Syncline {}", version())};
    std::vector<bench::FigureSeries> lines = lines_of(experiment, points);
    if (!lines.empty()) {
        figure.panels.push_back({.title = plot.title,
                                 .subtitle = experiment.description,
                                 .at = {plot.x_label},
                                 .value = {plot.y_label},
                                 .series = std::move(lines)});
    }
    return figure;
}

}  // namespace syncline::tools
