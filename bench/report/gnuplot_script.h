// SPDX-License-Identifier: BSD-3-Clause
// A figure as commands for gnuplot. All of its words are quoted: gnuplot prints each letter as it is, and none is a
// command.
#pragma once

#include <string>

#include "bench/report/figure.h"

namespace syncline::bench {

enum class PictureFormat { kSvg, kPng, kPdf };

// The command that has gnuplot write in this format: to its standard output.
std::string terminal_command(PictureFormat format, double width, double height);

std::string gnuplot_script(const Figure& figure, PictureFormat format);

}  // namespace syncline::bench
