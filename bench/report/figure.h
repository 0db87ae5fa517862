// SPDX-License-Identifier: BSD-3-Clause
// A picture as data: charts in panels, each with a title, axes and series. gnuplot_script.h says how gnuplot draws it.
#pragma once

#include <string>
#include <vector>

namespace syncline::bench {

// How a series is drawn: "#rrggbb", and gnuplot's numbers of a point's shape and of a line's dashes.
struct Look {
    const char* colour;
    int point;
    int dashes;
};

// A value and the range of the rounds that it is the median of; least == most where there is none.
struct Sample {
    double at;  // of kLines, where on the horizontal axis; else the index of a row
    double value, least, most;
};

struct FigureSeries {
    std::string label;
    Look look;
    std::vector<Sample> samples;
};

// kAuto is kLog where values are positive and span a decade, and places three doublings, else kLinear. A logarithmic
// axis has a place for 0, too.
enum class Scale { kAuto, kLinear, kLog };

struct Axis {
    std::string title;
    Scale scale = Scale::kAuto;
    std::string unit = {};  // of kLog: behind the numbers, which get a prefix: "s" gives "20 µs"
};

// A few words at the right end of a row.
struct Note {
    std::string words;
    const char* colour;
};

struct Panel {
    // kLines: values against numbers. kDots: a point of each series in each row. kStacks: a bar in each row, in which
    // the values of the series follow each other.
    enum class Kind { kLines, kDots, kStacks };

    Kind kind = Kind::kLines;
    std::string title, subtitle;
    Axis at = {};  // of kLines
    Axis value;
    std::vector<FigureSeries> series = {};
    std::vector<std::string> rows = {};  // names, of kDots and kStacks
    std::vector<Note> notes = {};        // none, or one for each row
};

struct Figure {
    unsigned columns = 2;  // of panels
    std::vector<Panel> panels = {};
    std::string foot = {};
};

}  // namespace syncline::bench
