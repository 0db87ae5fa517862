// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/figure_layout.h"

#include <algorithm>
#include <sstream>

namespace syncline::bench {

namespace {

constexpr double column_width = 400, single_column_width = 640;
constexpr double gap = 8, legend_line = 17, legend_gap = 16;
constexpr double lines_height = 190, row_height = 17, row_height_of_series = 8;
constexpr double axis_height = 42;     // below a plot, for numbers and the axis's title
constexpr double bold_width = 1.08;    // of words, by how much wider they are than others
constexpr double letter_width = 0.57;  // as a part of its height: that of wide fonts, on average

double text_width(const std::string& text, double size) {
    const auto letters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
    return letter_width * size * static_cast<double>(letters);
}

std::vector<std::string> wrapped(const std::string& text, double width, double size) {
    std::istringstream rest(text);
    std::vector<std::string> lines;
    for (std::string word; rest >> word;) {
        if (lines.empty() || text_width(lines.back() + " " + word, size) > width) {
            lines.push_back(word);
        } else {
            lines.back() += " " + word;
        }
    }
    return lines;
}

double plot_height(const Panel& panel) {
    if (panel.kind == Panel::Kind::kLines) {
        return std::max(lines_height, text_width(panel.value.title, text_size));
    }
    const double series = panel.kind == Panel::Kind::kDots ? static_cast<double>(panel.series.size()) : 1;
    return static_cast<double>(panel.rows.size()) * std::max(row_height, row_height_of_series * series);
}

// Entries follow each other; one that would leave the panel starts a line.
std::vector<Place> place_legend(const Panel& panel, double left, double right, double top) {
    std::vector<Place> places;
    Place next = {left, top};
    for (const FigureSeries& series : panel.series) {
        const double width = legend_sample + gap + text_width(series.label, text_size);
        if (next.left > left && next.left + width > right) {
            next = {left, next.top + legend_line};
        }
        places.push_back(next);
        next.left += width + legend_gap;
    }
    return panel.series.size() > 1 ? places : std::vector<Place>();
}

PlacedPanel place(const Panel& panel, double left, double top, double width) {
    PlacedPanel placed = {&panel, left, top, width, {}, {}, {}, 0, 0};
    const double inner = width - 2 * figure_margin;
    placed.title = wrapped(panel.title, inner, bold_width * title_size);
    placed.subtitle = wrapped(panel.subtitle, inner, text_size);
    const double head =
        title_line * static_cast<double>(placed.title.size()) + text_line * static_cast<double>(placed.subtitle.size());
    const double bottom = top + figure_margin + head + gap;
    placed.legend = place_legend(panel, left + figure_margin, left + width - figure_margin, bottom + legend_line / 2);
    placed.plot_top = placed.legend.empty() ? bottom : placed.legend.back().top + legend_line / 2 + gap;
    return placed;
}

}  // namespace

FigureLayout layout_of(const Figure& figure) {
    const double width = figure.columns > 1 ? column_width : single_column_width;
    FigureLayout layout = {width * figure.columns, 0, {}, {}, 0};
    for (size_t first = 0; first < figure.panels.size(); first += figure.columns) {
        const size_t end = std::min(first + figure.columns, figure.panels.size());
        double plot_top = 0;  // of all in this row
        for (size_t i = first; i < end; i++) {
            layout.panels.push_back(
                place(figure.panels[i], width * static_cast<double>(i - first), layout.height, width));
            plot_top = std::max(plot_top, layout.panels.back().plot_top);
        }
        for (size_t i = first; i < end; i++) {
            layout.panels[i].plot_top = plot_top;
            layout.panels[i].plot_bottom = plot_top + plot_height(figure.panels[i]);
            layout.height = std::max(layout.height, layout.panels[i].plot_bottom + axis_height);
        }
    }
    layout.foot = wrapped(figure.foot, layout.width - 2 * figure_margin, foot_size);
    layout.foot_top = layout.height + figure_margin;
    layout.height = layout.foot_top + text_line * static_cast<double>(layout.foot.size());
    return layout;
}

}  // namespace syncline::bench
