// SPDX-License-Identifier: BSD-3-Clause
#include "sim/presets.h"

#include "base/failure.h"

namespace syncline::sim {

const Preset* find_preset(std::string_view name) {
    for (const Preset& preset : presets()) {
        if (preset.name == name) {
            return &preset;
        }
    }
    return nullptr;
}

Experiment load_preset(std::string_view name) {
    const Preset* const preset = find_preset(name);
    if (preset == nullptr) {
        fail(SYNCLINE_ERR_INVALID, "there is no preset {}: `syncline sim presets` lists them", name);
    }
    return parse_experiment(preset->text, std::string(name));
}

}  // namespace syncline::sim
