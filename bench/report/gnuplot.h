// SPDX-License-Identifier: BSD-3-Clause
// gnuplot, a program of its own (https://gnuplot.info, Debian's package gnuplot-nox), draws all pictures.
#pragma once

#include <string>

#include "bench/report/figure.h"

namespace syncline::bench {

// Throws Failure, whose message names the package, unless gnuplot is installed and can write a picture of that name.
void check_gnuplot(const std::string& file);

// The picture that belongs into a file of that name: PNG or PDF where the name ends with .png or .pdf, else SVG. One
// version of gnuplot draws equal SVG of equal figures. Throws Failure if the figure has no panel, and if gnuplot fails.
std::string drawn(const Figure& figure, const std::string& file);

}  // namespace syncline::bench
