// SPDX-License-Identifier: BSD-3-Clause
// The options --json and --plot of every `syncline bench`, and the files that they name.
#pragma once

#include <cstdio>
#include <initializer_list>
#include <string>

#include "bench/report/figure.h"

namespace CLI {
class App;
}

namespace syncline::bench {

// Writes the text, unless the name is empty; "-" is the standard output. A regular file then holds all of it, or after
// a Failure its old text.
void write_file(const std::string& name, const std::string& text);
// Throws Failure if write_file() could not; leaves no file behind.
void check_file(const std::string& name);
// Draws a picture to a file that is named in this way: SVG, or PNG or PDF if the name ends with .png or .pdf. The check
// throws Failure also if gnuplot is not installed.
void write_picture(const std::string& name, const Figure& picture);
void check_picture(const std::string& name);
// The help text of the option that names such a file.
constexpr const char* plot_help =
    "draw the picture to this file with gnuplot, as SVG, or as PNG or PDF if its name ends so; - is the standard "
    "output";
// Where the text for people goes: the standard output, or stderr if one of the files is "-", so that programs read the
// one and people the other.
std::FILE* stream_beside(std::initializer_list<std::string> files);

class ResultFiles {
  public:
    void add_options(CLI::App* command);
    // Throws Failure before anything is measured, if a file cannot be written to or a picture cannot be drawn.
    void check() const;
    void write(const std::string& json, const Figure& picture) const;
    std::FILE* stream_of_table() const { return stream_beside({json_, plot_}); }

  private:
    std::string json_, plot_;  // "": none
};

}  // namespace syncline::bench
