// SPDX-License-Identifier: BSD-3-Clause
// Runs of the Myrinet model for its tests.
#pragma once

#include "sim/experiments/experiment.h"
#include "sim/experiments/models.h"

namespace syncline::sim {

// Returns `values`, in which `more` replace values of the same name.
inline Values with(Values values, const Values& more) {
    for (const auto& [key, value] : more) {
        values[key] = value;
    }
    return values;
}

inline Results run_preset(const std::string& preset, const Values& changes) {
    const Experiment experiment = load_preset(preset);
    return make_model(experiment.model, with(experiment.values, changes))->run();
}

// Parameters with round numbers: 1 MHz, so that a cycle is a microsecond.
inline Values round_numbers() {
    return {{"lanai.clock_mhz", 1.0},
            {"lanai.token_cycles", int64_t{1}},
            {"lanai.finish_cycles", int64_t{2}},
            {"lanai.sdma_cycles", int64_t{3}},
            {"lanai.send_cycles", int64_t{4}},
            {"lanai.receive_cycles", int64_t{5}},
            {"lanai.rdma_cycles", int64_t{6}},
            {"lanai.nic_send_cycles", int64_t{7}},
            {"lanai.nic_receive_cycles", int64_t{8}},
            {"host.send_ns", 10'000.0},
            {"host.receive_ns", 20'000.0},
            {"host.dma_ns", 30'000.0},
            {"host.interrupt_ns", 40'000.0},
            {"host.spin_ns", 1'000'000.0},
            {"host.spin_check_ns", 9'000.0},
            {"network.wire_ns", 50'000.0},
            {"workload.repeats", int64_t{5}}};
}

}  // namespace syncline::sim
