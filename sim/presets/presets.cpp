// SPDX-License-Identifier: BSD-3-Clause
#include "sim/presets/presets.h"

#include <algorithm>

namespace syncline::sim {

namespace {

const Preset* find(const std::vector<Preset>& among, std::string_view name) {
    const auto found =
        std::find_if(among.begin(), among.end(), [&](const Preset& preset) { return preset.name == name; });
    return found == among.end() ? nullptr : &*found;
}

}  // namespace

const Preset* find_preset(std::string_view name) {
    return find(presets(), name);
}

const Preset* find_trace(std::string_view name) {
    return find(traces(), name);
}

}  // namespace syncline::sim
