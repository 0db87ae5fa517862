// SPDX-License-Identifier: BSD-3-Clause
// Reads observations from the JSON of `syncline bench`, to compare the cluster model with.
#pragma once

#include <string>
#include <vector>

#include "sim/experiments/calibrate.h"

namespace syncline::tools {

struct Observed {
    uint64_t cpus = 0;    // of the machine that all nodes were on
    std::string machine;  // as the files describe it
    std::vector<sim::Observation> observations;
};

// Reads files of `syncline bench barrier`, `fence`, `lock` and `atomics`. Leaves out series that have no counterpart in
// the model. Throws Failure at any other file, or if the files are from machines with different numbers of CPUs.
Observed read_observations(const std::vector<std::string>& files);

}  // namespace syncline::tools
