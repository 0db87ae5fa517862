// SPDX-License-Identifier: BSD-3-Clause
#include "bench/report/svg.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace syncline::bench {

namespace {

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char letter : text) {
        if (letter == '&') {
            safe += "&amp;";
        } else if (letter == '<') {
            safe += "&lt;";
        } else {
            safe += letter;
        }
    }
    return safe;
}

}  // namespace

Svg::Svg(double width, double height) : width_(width), height_(height) {}

void Svg::line(Place from, Place to, const std::string& colour, double width) {
    body_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"{}\"/>\n",
        from.x, from.y, to.x, to.y, colour, width);
}

void Svg::rectangle(Place corner, double width, double height, const std::string& colour) {
    body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", corner.x,
                         corner.y, width, height, colour);
}

void Svg::circle(Place centre, double radius, const std::string& colour) {
    body_ +=
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n", centre.x, centre.y, radius, colour);
}

void Svg::path(const std::vector<Place>& places, const std::string& colour, double width) {
    std::string points;
    for (const Place& place : places) {
        points += fmt::format("{:.1f},{:.1f} ", place.x, place.y);
    }
    body_ += fmt::format(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
        "stroke-linejoin=\"round\"/>\n",
        points, colour, width);
}

void Svg::text(Place at, const std::string& text, Anchor anchor, const Font& font) {
    const char* const anchors[] = {"start", "middle", "end"};
    const std::string turn = font.turned ? fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", at.x, at.y) : "";
    body_ += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" fill=\"{}\" text-anchor=\"{}\"{}{}{}>{}"
        "</text>\n",
        at.x, at.y, font.size, font.colour, anchors[static_cast<int>(anchor)], font.bold ? " font-weight=\"600\"" : "",
        font.halo ? " stroke=\"#ffffff\" stroke-width=\"4\" paint-order=\"stroke\"" : "", turn, escaped(text));
}

void Svg::foot(const std::string& words) {
    constexpr double size = 11, margin = 20, line_height = 15;
    std::istringstream rest(words);
    std::string line, word;
    const auto write = [&] {
        height_ += line_height;
        text({margin, height_ - 4}, line, Anchor::kStart, {.size = size, .colour = "#57606a"});
    };
    while (rest >> word) {
        std::string longer = line;
        longer += line.empty() ? "" : " ";
        longer += word;
        if (!line.empty() && text_width(longer, size) > width_ - 2 * margin) {
            write();
            line = word;
        } else {
            line = longer;
        }
    }
    write();
    height_ += margin / 2;
}

std::string Svg::finish() const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n{2}</svg>\n",
        width_, height_, body_);
}

double text_width(const std::string& text, double size) {
    const auto letters = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
    return 0.6 * size * static_cast<double>(letters);
}

std::vector<double> ticks_to(double largest) {
    if (!(largest > 0)) {
        return {0, 1};
    }
    const double magnitude = std::pow(10, std::floor(std::log10(largest)));
    double step = magnitude;
    for (const double candidate : {0.2, 0.25, 0.5, 1.0, 2.0}) {
        step = candidate * magnitude;
        if (largest / step <= 7) {
            break;
        }
    }
    std::vector<double> ticks = {0};
    while (ticks.back() < largest) {
        ticks.push_back(step * static_cast<double>(ticks.size()));
    }
    return ticks;
}

}  // namespace syncline::bench
