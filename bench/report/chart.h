// SPDX-License-Identifier: BSD-3-Clause
// The frame of a chart in an SVG: title, axes with units, grid, legend; and where values are in it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/report/svg.h"

namespace syncline::bench {

// A series has one colour in all charts.
std::string colour_of(const std::string& series);
std::string label_of(const std::string& series);

class Chart {
  public:
    struct Texts {
        std::string title, subtitle, x_axis, y_axis;
    };

    struct Label {
        std::string words, colour;
    };

    // The legend takes as many lines as fit the width.
    Chart(Svg* svg, Place corner, double width, double height, const Texts& texts, const std::vector<Label>& labels);
    // It has a label for each series.
    Chart(Svg* svg, Place corner, double width, double height, const Texts& texts,
          const std::vector<std::string>& series = {});

    // Ticks and grid from 0 to at least `largest`.
    void scale_y(double largest);
    void scale_x(double largest);  // lines only
    // A tick for each of these numbers, which ascend.
    void scale_x(const std::vector<double>& ticks);
    void draw(const std::vector<Place>& places, const std::string& colour);

    Place at(double x, double y) const;  // values
    double y_of(double value) const;
    double left() const { return left_; }
    double right() const { return right_; }
    double bottom() const { return bottom_; }
    Svg* svg() { return svg_; }

  private:
    Svg* const svg_;
    const std::vector<Place> legend_;  // where each label is
    const double left_, right_, top_, bottom_;
    double largest_x_ = 1;
    double largest_y_ = 1;
};

}  // namespace syncline::bench
