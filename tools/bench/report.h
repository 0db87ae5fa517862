// SPDX-License-Identifier: BSD-3-Clause
// The forms in which results leave: a table for people, JSON for programs, an SVG picture.
#pragma once

#include <string>

#include "tools/bench/machine.h"
#include "tools/bench/results.h"

namespace syncline::bench {

std::string table_of(const Results& results, const Machine& machine);
std::string json_of(const Results& results, const Machine& machine);
std::string plot_of(const Results& results, const Machine& machine);

}  // namespace syncline::bench
