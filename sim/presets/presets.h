// SPDX-License-Identifier: BSD-3-Clause
// The files of this folder, which are part of the program as texts: presets, each an experiment, and the traces that
// they replay.
#pragma once

#include <string_view>
#include <vector>

namespace syncline::sim {

struct Preset {
    std::string_view name;  // of the file, without .toml or .trace
    std::string_view text;
};

const std::vector<Preset>& presets();
// Returns nullptr if there is none of that name.
const Preset* find_preset(std::string_view name);

const std::vector<Preset>& traces();
const Preset* find_trace(std::string_view name);

}  // namespace syncline::sim
