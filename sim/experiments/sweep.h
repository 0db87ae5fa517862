// SPDX-License-Identifier: BSD-3-Clause
// Runs the points of an experiment on several threads. Each point is a simulation of its own, so what comes out does
// not depend on how many threads there are.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/experiments/experiment.h"
#include "sim/kernel/results.h"

namespace syncline::sim {

struct Point {
    Values values;    // of the experiment, with those that are varied
    std::string key;  // the same as one text: equal keys, equal results
    std::optional<Results> results;
    std::string refused;  // why there can be no such machine, if there are no results
};

// The points of an experiment, not run yet.
std::vector<Point> points_of(const Experiment& experiment);

// Runs those that have no results yet. `done` is called after each, by one thread at a time.
void run_points(const std::string& model, std::vector<Point>* points, unsigned threads,
                const std::function<void(const Point&)>& done);

}  // namespace syncline::sim
