// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/gnuplot_series.h"

#include <algorithm>

#include "bench/report/text.h"

namespace syncline::bench {

namespace {

constexpr double row_edge = 0.12;  // the part of a row without points, at each side
constexpr double half_bar = 0.36;  // of a row
constexpr double cap_width = 3;    // at the ends of a spread, in pixels

bool has_sample(const FigureSeries& series, double at) {
    return std::any_of(series.samples.begin(), series.samples.end(),
                       [&](const Sample& sample) { return sample.at == at; });
}

// The points of a row are below each other, in the order of the series that have one there.
double height_of(const Panel& panel, const FigureSeries& own, double row) {
    double points = 0, above = 0;
    for (const FigureSeries& series : panel.series) {
        points += has_sample(series, row);
        above += has_sample(series, row) && &series < &own;
    }
    return row + row_edge + (1 - 2 * row_edge) * (above + 0.5) / points;
}

std::string plot_element(const Panel& panel, size_t number, double width) {
    const Look& look = panel.series[number].look;
    const std::string data = fmt::format("$series{} using", number);
    const std::string colour = fmt::format("linecolor rgb '{}'", look.colour);
    // The spread is an arrow with flat heads; gnuplot draws none that has no length.
    const std::string spread =
        fmt::format("with vectors heads size screen {:.5f},90 {} linewidth 1.2", cap_width / width, colour);
    switch (panel.kind) {
        case Panel::Kind::kStacks:
            return fmt::format("{0} (0):1:2:3:($1-{2}):($1+{2}) with boxxyerror {1} fillstyle solid noborder", data,
                               colour, half_bar);
        case Panel::Kind::kDots:
            return fmt::format("{0} 3:1:($4-$3):(0) {1}, {0} 2:1 with points {2} pointtype {3} pointsize {4}", data,
                               spread, colour, look.point, point_size);
        default:
            return fmt::format(
                "{0} 1:3:(0):($4-$3) {1}, "
                "{0} 1:2 with linespoints {2} linewidth {3} dashtype {4} pointtype {5} pointsize {6}",
                data, spread, colour, line_width, look.dashes, look.point, point_size);
    }
}

}  // namespace

std::string series_data(const Panel& panel, const AxisRange& at, const AxisRange& value) {
    Text text;
    std::vector<double> sums(panel.rows.size());
    for (size_t i = 0; i < panel.series.size(); i++) {
        add(&text, "$series{} << end_of_data\n", i);
        for (const Sample& sample : panel.series[i].samples) {
            if (panel.kind == Panel::Kind::kStacks) {
                double& sum = sums.at(static_cast<size_t>(sample.at));
                add(&text, "{:.9g} {:.9g} {:.9g}\n", sample.at + 0.5, sum, sum + sample.value);
                sum += sample.value;
                continue;
            }
            const double place = panel.kind == Panel::Kind::kLines ? at.place_of(sample.at)
                                                                   : height_of(panel, panel.series[i], sample.at);
            add(&text, "{:.9g} {:.9g} {:.9g} {:.9g}\n", place, value.place_of(sample.value),
                value.place_of(sample.least), value.place_of(sample.most));
        }
        add(&text, "end_of_data\n");
    }
    return fmt::to_string(text);
}

std::string plot_command(const Panel& panel, double width) {
    std::string command = "plot ";
    for (size_t i = 0; i < panel.series.size(); i++) {
        command += (i == 0 ? "" : ", ") + plot_element(panel, i, width);
    }
    return command + "\n";
}

}  // namespace syncline::bench
