// SPDX-License-Identifier: BSD-3-Clause
// docs/FIDELITY.md: what the papers state, held against the simulation.
#pragma once

#include <string>
#include <vector>

#include "sim/papers/reproduce.h"

namespace syncline::tools {

std::string markdown_of(const std::vector<sim::Fidelity>& papers, const std::vector<sim::Study>& beyond);
// One line for each paper.
std::string summary_of(const std::vector<sim::Fidelity>& papers);

}  // namespace syncline::tools
