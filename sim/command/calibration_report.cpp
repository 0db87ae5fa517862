// SPDX-License-Identifier: BSD-3-Clause
#include "sim/command/calibration_report.h"

#include <nlohmann/json.hpp>

#include "base/version.h"
#include "bench/report/text.h"

namespace syncline::tools {

namespace {

using bench::add;
using bench::Text;

void add_costs(Text* text, const sim::Values& costs) {
    add(text, "| Fitted cost | ns |\n|---|---|\n");
    for (const auto& [key, value] : costs) {
        if (const double* const ns = std::get_if<double>(&value); ns != nullptr && *ns != 0 && key.ends_with("_ns")) {
            add(text, "| {} | {} |\n", key, *ns);
        }
    }
}

void add_errors(Text* text, const sim::Calibration& calibration) {
    add(text, "\n| Operation | Nodes | Measured, us | Model, us | Error | |\n|---|---|---|---|---|---|\n");
    for (const sim::Observation& observation : calibration.observations) {
        add(text, "| {} | {} | {:.1f} | {:.1f} | {:+.0f} % | {} |\n", observation.what, observation.nodes,
            observation.measured_us, observation.model_us, 100 * observation.error(),
            observation.fitted ? "fitted" : "predicted");
    }
    add(text, "\nMedian error: {:.0f} % of the predicted times, {:.0f} % of the fitted ones.\n",
        100 * calibration.median_error(false), 100 * calibration.median_error(true));
}

void add_predictions(Text* text, const std::vector<sim::Prediction>& predictions) {
    add(text,
        "\n| Nodes | Barrier: NIC exchange, us | NIC tree of {} | host exchange | Fence: counts, us | linear "
        "| Lock: NIC, us a section | host | fetch&add: NIC, M/s | host |\n|---|---|---|---|---|---|---|---|---|---|\n",
        sim::tree_dimension);
    for (const sim::Prediction& p : predictions) {
        add(text, "| {} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {}{:.1f} | {:.2f} | {:.2f} | {:.3f} | {:.3f} |\n",
            p.nodes, p.nic_exchange_us, p.nic_tree_us, p.host_exchange_us, p.fence_counts_us,
            p.linear_simulated ? "" : "~", p.fence_linear_us, p.nic_lock_us, p.host_lock_us, p.nic_atomics_mops,
            p.host_atomics_mops);
    }
}

constexpr const char* calibration_introduction = R"(# Predictions

`syncline sim calibrate` writes this page from the results of `syncline bench`:

    syncline sim calibrate bench/results/{{atomics,barrier,fence,lock}}.json --markdown docs/PREDICTIONS.md

The command fits the costs of the cluster model (`syncline sim parameters cluster`) to runs of up to {} nodes. The first
table has these costs. The second compares the model's times with the measured ones, for these runs and for larger ones.
The third has the model's times for clusters that are too large to measure.

Measured on: {}. All nodes share this machine's {} CPUs, also in the model.

)";

constexpr const char* larger = R"(
## Larger clusters

Here the model has the fitted costs, and a machine for each node: one CPU executes the NIC program, another one the host's
server. No network between machines was measured; the model assumes {} ns from NIC to NIC and {} GB/s. The linear
fence takes nodes^2 messages, so times with `~` were not simulated: they continue those of {} nodes by the equation of
"Optimizing Synchronization Operations for Remote Memory Communication Systems" (2003). In the columns for locks every
node wants one lock, and in those for fetch&add every node adds to one word.
)";

}  // namespace

std::string settings_of(const CalibrationReport& report) {
    Text text;
    add(&text, "# By Syncline {}.\nmodel = \"cluster\"\ndescription = \"calibrated from live runs\"\n", version());
    std::string section;
    for (const auto& [key, value] : report.calibration.costs) {
        const size_t dot = key.find('.');
        if (key.substr(0, dot) != section) {
            section = key.substr(0, dot);
            add(&text, "\n[{}]\n", section);
        }
        add(&text, "{} = {}\n", key.substr(dot + 1), sim::text_of(value));
    }
    return fmt::to_string(text);
}

std::string markdown_of(const CalibrationReport& report) {
    Text text;
    add(&text, calibration_introduction, report.fit_up_to, report.observed.machine, report.observed.cpus);
    add_costs(&text, report.calibration.costs);
    add(&text, "\n## The model's errors\n");
    add_errors(&text, report.calibration);
    add(&text, larger, report.separation.wire_ns, report.separation.gigabytes_per_s, sim::linear_most);
    add_predictions(&text, report.predictions);
    return fmt::to_string(text);
}

std::string json_of(const CalibrationReport& report) {
    nlohmann::ordered_json json;
    json["version"] = version();
    for (const auto& [key, value] : report.calibration.costs) {
        json["costs"][key] = std::visit([](const auto& held) { return nlohmann::ordered_json(held); }, value);
    }
    for (const sim::Observation& o : report.calibration.observations) {
        json["observations"].push_back({{"what", o.what},
                                        {"nodes", o.nodes},
                                        {"live_us", o.measured_us},
                                        {"model_us", o.model_us},
                                        {"fitted", o.fitted}});
    }
    for (const sim::Prediction& p : report.predictions) {
        json["predictions"].push_back({{"nodes", p.nodes},
                                       {"barrier_nic_exchange_us", p.nic_exchange_us},
                                       {"barrier_nic_tree_us", p.nic_tree_us},
                                       {"barrier_host_exchange_us", p.host_exchange_us},
                                       {"fence_counts_us", p.fence_counts_us},
                                       {"fence_linear_us", p.fence_linear_us},
                                       {"fence_linear_simulated", p.linear_simulated},
                                       {"lock_nic_us", p.nic_lock_us},
                                       {"lock_host_us", p.host_lock_us},
                                       {"atomics_nic_mops", p.nic_atomics_mops},
                                       {"atomics_host_mops", p.host_atomics_mops}});
    }
    return json.dump(2) + "\n";
}

}  // namespace syncline::tools
