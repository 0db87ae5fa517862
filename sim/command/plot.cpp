// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <set>
#include <vector>

#include "base/failure.h"
#include "base/version.h"
#include "bench/report/chart.h"
#include "sim/command/output.h"

namespace syncline::tools {

namespace {

using bench::Place;

constexpr const char* palette[] = {"#0b5394", "#b3470b", "#3aa6a0", "#8e7cc3", "#e08a2e", "#6fa8dc",
                                   "#38761d", "#c27ba0", "#7f6000", "#f1c27d", "#990000", "#45818e"};
constexpr double chart_width = 620, chart_height = 420, legend_size = 12, margin = 20;

using Line = std::vector<std::pair<double, double>>;

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
std::vector<std::pair<std::string, Line>> lines_of(const sim::Experiment& experiment,
                                                   const std::vector<sim::Point>& points) {
    std::vector<std::pair<std::string, Line>> lines;
    for (const sim::Point& point : points) {
        if (!point.results) {
            continue;
        }
        const std::string name = series_of(experiment, point);
        auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& item) { return item.first == name; });
        if (line == lines.end()) {
            line = lines.insert(lines.end(), {name, {}});
        }
        const double x = number_of(point.values.at(experiment.plot.x));
        line->second.emplace_back(x, point.results->number(experiment.plot.y));
    }
    for (auto& [name, line] : lines) {
        std::sort(line.begin(), line.end());
    }
    return lines;
}

// Returns the width of the chart with its legend beside it, and of the lines above both.
double width_of(const sim::Experiment& experiment, const std::vector<std::pair<std::string, Line>>& lines) {
    double legend = 0;
    for (const auto& [name, line] : lines) {
        legend = std::max(legend, 18 + bench::text_width(name, legend_size));
    }
    return margin + std::max(chart_width + legend, margin + bench::text_width(experiment.description, 12));
}

void draw_line(bench::Chart* chart, const Line& line, const std::string& colour) {
    std::vector<Place> places;
    for (const auto& [x, y] : line) {
        places.push_back(chart->at(x, y));
    }
    chart->draw(places, colour);
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

std::string plot_of(const sim::Experiment& experiment, const std::vector<sim::Point>& points) {
    check_plot(experiment);
    const sim::Experiment::Plot& plot = experiment.plot;
    const auto lines = lines_of(experiment, points);
    std::set<double> numbers = {0};
    double most_y = 0;
    for (const auto& [name, line] : lines) {
        for (const auto& [x, y] : line) {
            numbers.insert(x);
            most_y = std::max(most_y, y);
        }
    }
    const double height = std::max(chart_height, 80 + 18 * static_cast<double>(lines.size()));
    bench::Svg svg(width_of(experiment, lines), height);
    bench::Chart chart(&svg, {0, 0}, chart_width, chart_height,
                       {plot.title, experiment.description, plot.x_label, plot.y_label});
    chart.scale_y(most_y);
    chart.scale_x(std::vector<double>(numbers.begin(), numbers.end()));
    for (size_t i = 0; i < lines.size(); i++) {
        const std::string colour = palette[i % std::size(palette)];
        const double y = 84 + 18 * static_cast<double>(i);
        draw_line(&chart, lines[i].second, colour);
        svg.rectangle({chart_width, y - 10}, 12, 12, colour);
        svg.text({chart_width + 18, y}, lines[i].first, bench::Svg::Anchor::kStart, {.size = legend_size});
    }
    svg.foot(fmt::format("Simulated by Syncline {}", version()));
    return svg.finish();
}

}  // namespace syncline::tools
