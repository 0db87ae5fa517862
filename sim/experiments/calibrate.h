// SPDX-License-Identifier: BSD-3-Clause
// A cluster model of a live system. Its costs are fitted to the times of small runs, larger runs show how good the
// model is, and then the model predicts sizes that no measurement has reached.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/experiments/sweep.h"
#include "sim/kernel/settings.h"

namespace syncline::sim {

// One measurement of a benchmark.
struct Observation {
    std::string what;
    uint64_t nodes;
    double measured_us;
    std::string result;                // the cluster model's result that is this quantity
    std::vector<Values> alternatives;  // settings of the workload, of which the live library takes the fastest
    bool fitted = false;
    double model_us = 0;

    double error() const { return model_us / measured_us - 1; }
};

struct Calibration {
    Values costs;  // of the cluster model
    std::vector<Observation> observations;

    // Returns the median of the errors' magnitudes, over the observations that were fitted or those that were not; 0 if
    // there are none.
    double median_error(bool fitted) const;
};

// Fits the costs to the observations of up to `fit_up_to` nodes and predicts all observations. The system's nodes share
// `cpus` CPUs. Deterministic. Throws Failure if there is nothing to fit to.
Calibration calibrate(std::vector<Observation> observations, uint64_t cpus, uint64_t fit_up_to);

// The network between separate machines, about which measurements on one machine say nothing.
struct Separation {
    double wire_ns = 1000;
    double gigabytes_per_s = 12.5;
};

// The prediction for one number of nodes, each a machine of its own.
struct Prediction {
    uint64_t nodes = 0;
    double nic_exchange_us = 0, nic_tree_us = 0, host_exchange_us = 0;  // barriers
    double fence_counts_us = 0, fence_linear_us = 0;
    // False: the equation of Buntinas 2003 gives it, from the largest one that was simulated, because a linear fence
    // takes nodes^2 messages.
    bool linear_simulated = false;
    double nic_lock_us = 0, host_lock_us = 0;  // of a section, all nodes contending
    double nic_atomics_mops = 0, host_atomics_mops = 0;
};

constexpr uint64_t tree_dimension = 4;  // of nic_tree_us
constexpr uint64_t linear_most = 1024;  // nodes of a simulated linear fence

// Predicts for each number of nodes, on `threads` threads, and calls `done` after each simulation. The number of
// threads does not change the result.
std::vector<Prediction> predict(const Values& costs, const Separation& separation, const std::vector<uint64_t>& nodes,
                                unsigned threads, const std::function<void()>& done);
constexpr size_t simulations_each = 10;  // of a prediction

}  // namespace syncline::sim
