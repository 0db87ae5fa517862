// SPDX-License-Identifier: BSD-3-Clause
// The experiments of presets/ and the traces that they run, which are part of the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/experiment.h"

namespace syncline::sim {

struct Preset {
    std::string_view name;  // of the file, without .toml or .trace
    std::string_view text;
};

const std::vector<Preset>& presets();
// nullptr: there is none of that name.
const Preset* find_preset(std::string_view name);

const std::vector<Preset>& traces();
const Preset* find_trace(std::string_view name);
// Throws Failure if there is none.
Experiment load_preset(std::string_view name);

}  // namespace syncline::sim
