// SPDX-License-Identifier: BSD-3-Clause
// Where the panels of a figure are, their words and their legends, in pixels from the upper left corner. gnuplot finds
// the room for numbers and names beside the axes by itself.
#pragma once

#include <string>
#include <vector>

#include "bench/report/figure.h"

namespace syncline::bench {

constexpr double text_size = 11, title_size = 14, foot_size = 10;
constexpr double figure_margin = 14, title_line = 18, text_line = 15;
constexpr double legend_sample = 28;  // the width of the mark before an entry

struct Place {
    double left, top;
};

struct PlacedPanel {
    const Panel* panel;
    double left, top, width;
    std::vector<std::string> title, subtitle;  // their lines
    std::vector<Place> legend;                 // of each series; empty if there is only one, which the title names
    double plot_top, plot_bottom;              // of the rectangle between the axes
};

struct FigureLayout {
    double width, height;
    std::vector<PlacedPanel> panels;
    std::vector<std::string> foot;  // its lines
    double foot_top;
};

// The figure's panels fill its columns row by row. The layout refers to the figure.
FigureLayout layout_of(const Figure& figure);

}  // namespace syncline::bench
