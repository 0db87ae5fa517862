// SPDX-License-Identifier: BSD-3-Clause
// Runs presets with changes, each combination only once.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "sim/experiments/experiment.h"
#include "sim/experiments/models.h"

namespace syncline::sim {

class Measurements {
  public:
    explicit Measurements(std::function<void(const std::string&)> progress) : progress_(std::move(progress)) {}

    const Results& run(const std::string& preset, const Values& changes) {
        std::string key = preset;
        for (const auto& [name, value] : changes) {
            key += " " + name + "=" + text_of(value);
        }
        const auto known = known_.find(key);
        if (known != known_.end()) {
            return known->second;
        }
        progress_(key);
        const Experiment experiment = load_preset(preset);
        Values values = changes;
        values.insert(experiment.values.begin(), experiment.values.end());
        return known_[key] = make_model(experiment.model, values)->run();
    }

    double number(const std::string& preset, const Values& changes, const std::string& result) {
        return run(preset, changes).number(result);
    }

  private:
    const std::function<void(const std::string&)> progress_;
    std::map<std::string, Results> known_;
};

}  // namespace syncline::sim
