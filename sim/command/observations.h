// SPDX-License-Identifier: BSD-3-Clause
// What the cluster model can be held against in the JSON of `syncline bench`.
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

// From files of `syncline bench barrier`, `fence`, `lock` and `atomics`. Series of which the model has no counterpart
// are left out. Throws Failure at a file that is none of these, or if they are of machines with different numbers of
// CPUs.
Observed read_observations(const std::vector<std::string>& files);

}  // namespace syncline::tools
