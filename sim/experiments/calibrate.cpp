// SPDX-License-Identifier: BSD-3-Clause
#include "sim/experiments/calibrate.h"

#include <algorithm>
#include <cmath>

#include "base/failure.h"
#include "sim/experiments/models.h"

namespace syncline::sim {

namespace {

// The fitted costs, and the values that the search begins with. Each cost is for a whole message: with a NIC that is
// part of the kernel, a measurement cannot tell sending, receiving and executing apart.
struct Cost {
    const char* key;
    double start_ns;
};
constexpr Cost fitted_costs[] = {{"host.send_ns", 1000},     {"host.receive_ns", 1000},   {"nic.deliver_ns", 1000},
                                 {"nic.execute_ns", 1000},   {"server.execute_ns", 3000}, {"server.wake_ns", 10000},
                                 {"machine.switch_ns", 1000}};
constexpr double least_ns = 10;

Values fixed_costs(uint64_t cpus) {
    Values values;
    for (const char* const key : {"nic.token_ns", "nic.finish_ns", "nic.fetch_ns", "nic.send_ns", "nic.make_ns",
                                  "bus.latency_ns", "network.wire_ns"}) {
        values[key] = 0.0;
    }
    values["network.packet_bytes"] = int64_t{0};
    values["network.bandwidth_gbps"] = 1e5;
    values["machine.cpus"] = static_cast<int64_t>(cpus);
    return values;
}

double ask(const Values& costs, const Values& workload, const std::string& result) {
    Values values = workload;
    values.insert(costs.begin(), costs.end());
    return make_model("cluster", values)->run().number(result);
}

double ask(const Values& costs, const Observation& observation) {
    double best = 0;
    for (const Values& workload : observation.alternatives) {
        const double value = ask(costs, workload, observation.result);
        best = best == 0 ? value : std::min(best, value);
    }
    return best;
}

// Returns the sum of the squares of the logarithms: half as long is as wrong as twice as long.
double badness(const Values& costs, const std::vector<Observation>& observations) {
    double sum = 0;
    for (const Observation& observation : observations) {
        if (observation.fitted) {
            const double error = std::log(ask(costs, observation) / observation.measured_us);
            sum += error * error;
        }
    }
    return sum;
}

// Tries each cost larger and smaller by a factor, as long as that reduces the error; then by a smaller factor.
void search(Values* costs, const std::vector<Observation>& observations) {
    double best = badness(*costs, observations);
    for (const double factor : {4.0, 2.0, 1.4, 1.2, 1.1, 1.05, 1.02}) {
        for (bool better = true; better;) {
            better = false;
            for (const Cost& cost : fitted_costs) {
                for (const double change : {factor, 1 / factor}) {
                    Values changed = *costs;
                    const double value = std::get<double>(changed[cost.key]) * change;
                    changed[cost.key] = std::round(std::max(value, least_ns));
                    const double bad = badness(changed, observations);
                    if (bad < best * (1 - 1e-6)) {
                        best = bad;
                        *costs = changed;
                        better = true;
                    }
                }
            }
        }
    }
}

}  // namespace

double Calibration::median_error(bool fitted) const {
    std::vector<double> errors;
    for (const Observation& observation : observations) {
        if (observation.fitted == fitted) {
            errors.push_back(std::abs(observation.error()));
        }
    }
    if (errors.empty()) {
        return 0;
    }
    std::nth_element(errors.begin(), errors.begin() + static_cast<ptrdiff_t>(errors.size() / 2), errors.end());
    return errors[errors.size() / 2];
}

Calibration calibrate(std::vector<Observation> observations, uint64_t cpus, uint64_t fit_up_to) {
    bool any = false;
    for (Observation& observation : observations) {
        observation.fitted = observation.nodes <= fit_up_to;
        any = any || observation.fitted;
    }
    if (!any) {
        fail(SYNCLINE_ERR_INVALID, "nothing was measured with up to {} nodes, so there is nothing to fit to",
             fit_up_to);
    }
    Values costs = fixed_costs(cpus);
    for (const Cost& cost : fitted_costs) {
        costs[cost.key] = cost.start_ns;
    }
    search(&costs, observations);
    for (Observation& observation : observations) {
        observation.model_us = ask(costs, observation);
    }
    return {costs, std::move(observations)};
}

}  // namespace syncline::sim
