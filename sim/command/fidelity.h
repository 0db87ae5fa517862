// SPDX-License-Identifier: BSD-3-Clause
// docs/FIDELITY.md holds the statements of the papers against the simulation.
#pragma once

#include <string>
#include <vector>

#include "sim/papers/reproduce.h"

namespace syncline::tools {

std::string markdown_of(const std::vector<sim::Fidelity>& papers, const std::vector<sim::Study>& beyond);
// The sections on these papers only.
std::string sections_of(const std::vector<sim::Fidelity>& papers);
// One line for each paper.
std::string summary_of(const std::vector<sim::Fidelity>& papers);

}  // namespace syncline::tools
