// SPDX-License-Identifier: BSD-3-Clause
// Writes SVG: the few shapes that charts need.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace syncline::bench {

struct Place {
    double x, y;
};

class Svg {
  public:
    enum class Anchor { kStart, kMiddle, kEnd };
    struct Font {
        double size = 13;
        bool bold = false;
        const char* colour = "#24292f";
        bool turned = false;  // by 90 degrees to the left
        bool halo = false;    // white around it, for text over lines
    };

    Svg(double width, double height);

    void line(Place from, Place to, const std::string& colour, double width = 1);
    void rectangle(Place corner, double width, double height, const std::string& colour);
    void circle(Place centre, double radius, const std::string& colour);
    void path(const std::vector<Place>& places, const std::string& colour, double width);
    void text(Place at, const std::string& text, Anchor anchor, const Font& font);

    // From now on it is so high.
    void grow(double height) { height_ = height; }
    // Below all that is there: lines as wide as the picture, which grows by them.
    void foot(const std::string& words);

    // The whole document.
    std::string finish() const;

  private:
    const double width_;
    double height_;
    std::string body_;
};

// No less than it takes in any usual font.
double text_width(const std::string& text, double size);

// About 4 to 8 round numbers from 0 to at least `largest`.
std::vector<double> ticks_to(double largest);

}  // namespace syncline::bench
