// SPDX-License-Identifier: BSD-3-Clause
// Runs the points of an experiment on several threads. Each point is a simulation of its own, so the results do not
// depend on the number of threads.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/experiments/experiment.h"
#include "sim/kernel/results.h"

namespace syncline::sim {

struct Point {
    Values values;    // the experiment's values, with this point's values of the axes
    std::string key;  // all values as one text: equal keys have equal results
    std::optional<Results> results;
    std::string refused;  // if there are no results: why no machine can have these values
};

// Returns the points of an experiment, not run yet.
std::vector<Point> points_of(const Experiment& experiment);

// Runs the points that have no results yet. Calls `done` after each, from one thread at a time.
void run_points(const std::string& model, std::vector<Point>* points, unsigned threads,
                const std::function<void(const Point&)>& done);

}  // namespace syncline::sim
