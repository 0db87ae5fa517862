// SPDX-License-Identifier: BSD-3-Clause
// A file that says what to simulate: a model, its parameters, and optionally what to vary and what to draw.
//
//     model = "atomic-unit"
//     [host]
//     tags = 64                           # a parameter: host.tags
//     [sweep]
//     "host.latency_ns" = [50, 150, 250]  # every combination is run
//     [plot]
//     x = "host.latency_ns"
//     y = "payload_mbps"                  # a result
//
// Instead of a model the file may name a preset as its `base`, whose model and parameters it takes over.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/kernel/settings.h"

namespace syncline::sim {

struct Experiment {
    struct Plot {
        std::string title, x, y, x_label, y_label;
    };
    using Axis = std::pair<std::string, std::vector<Value>>;

    std::string model, description;
    Values values;
    std::vector<Axis> sweep;  // the last one varies fastest
    Plot plot;                // x is "": there is no plot

    // Returns every combination of the axes, in order; the experiment's own values if there are no axes.
    std::vector<Values> points() const;
};

// `name` is for messages. Throws Failure that says what is wrong and, if the text is not TOML, in which line.
Experiment parse_experiment(std::string_view text, const std::string& name);

// Returns the experiment of a preset. Throws Failure if there is no preset of that name.
Experiment load_preset(std::string_view name);

}  // namespace syncline::sim
