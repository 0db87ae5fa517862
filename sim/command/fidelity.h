// SPDX-License-Identifier: BSD-3-Clause
// Writes docs/FIDELITY.md, which compares the statements of the papers with the simulation.
#pragma once

#include <string>
#include <vector>

#include "sim/papers/reproduce.h"

namespace syncline::tools {

std::string markdown_of(const std::vector<sim::Fidelity>& papers, const std::vector<sim::Study>& beyond);
// Returns only the sections on these papers.
std::string sections_of(const std::vector<sim::Fidelity>& papers);
// Returns one line for each paper.
std::string summary_of(const std::vector<sim::Fidelity>& papers);

}  // namespace syncline::tools
