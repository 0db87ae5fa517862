// SPDX-License-Identifier: BSD-3-Clause
#include "sim/command/calibrate_command.h"

#include <CLI/App.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/version.h"
#include "bench/report/progress.h"
#include "bench/report/result_files.h"
#include "bench/report/text.h"
#include "sim/command/observations.h"

namespace syncline::tools {
namespace {

using bench::add;
using bench::Progress;
using bench::Text;
using bench::write_file;

struct Arguments {
    std::vector<std::string> results;
    uint64_t fit_up_to = 4, most = 1 << 20;
    sim::Separation separation;
    unsigned jobs = std::max(std::thread::hardware_concurrency(), 1u);
    std::string output, markdown, json;
};

std::string settings_of(const sim::Values& costs) {
    Text text;
    add(&text, "# By Syncline {}.\nmodel = \"cluster\"\ndescription = \"calibrated from live runs\"\n", version());
    std::string section;
    for (const auto& [key, value] : costs) {
        const size_t dot = key.find('.');
        if (key.substr(0, dot) != section) {
            section = key.substr(0, dot);
            add(&text, "\n[{}]\n", section);
        }
        add(&text, "{} = {}\n", key.substr(dot + 1), sim::text_of(value));
    }
    return fmt::to_string(text);
}

void add_costs(Text* text, const sim::Values& costs) {
    add(text, "| Cost, fitted | ns |\n|---|---|\n");
    for (const auto& [key, value] : costs) {
        if (const double* const ns = std::get_if<double>(&value); ns != nullptr && *ns != 0 && key.ends_with("_ns")) {
            add(text, "| {} | {} |\n", key, *ns);
        }
    }
}

void add_errors(Text* text, const sim::Calibration& calibration) {
    add(text, "\n| Measured | Nodes | Live, us | Model, us | Error | |\n|---|---|---|---|---|---|\n");
    for (const sim::Observation& observation : calibration.observations) {
        add(text, "| {} | {} | {:.1f} | {:.1f} | {:+.0f} % | {} |\n", observation.what, observation.nodes,
            observation.measured_us, observation.model_us, 100 * observation.error(),
            observation.fitted ? "fitted" : "predicted");
    }
    add(text, "\nMedian error: {:.0f} % of those predicted, {:.0f} % of those fitted.\n",
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

std::string json_of(const sim::Calibration& calibration, const std::vector<sim::Prediction>& predictions) {
    nlohmann::ordered_json json;
    json["version"] = version();
    for (const auto& [key, value] : calibration.costs) {
        json["costs"][key] = std::visit([](const auto& held) { return nlohmann::ordered_json(held); }, value);
    }
    for (const sim::Observation& o : calibration.observations) {
        json["observations"].push_back({{"what", o.what},
                                        {"nodes", o.nodes},
                                        {"live_us", o.measured_us},
                                        {"model_us", o.model_us},
                                        {"fitted", o.fitted}});
    }
    for (const sim::Prediction& p : predictions) {
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

constexpr const char* introduction = R"(# Predictions

What `syncline sim calibrate` makes of the results of `syncline bench`; it writes this file too:

    syncline sim calibrate bench/results/{{atomics,barrier,fence,lock}}-*.json --markdown docs/PREDICTIONS.md

The costs of the cluster model (`syncline sim parameters cluster`) were fitted to runs of up to {} nodes. Below is what the
model says of these and of larger runs, beside what was measured, and then of clusters that no measurement has reached.

Measured on: {}. All nodes share its {} CPUs, in the model too.

)";

constexpr const char* larger = R"(
## Larger clusters

The same costs with a machine for each node, whose CPU executes what XDP does, a server on another one, and between them
what could not be measured here: {} ns from NIC to NIC, {} GB/s. `~`: not simulated, because it takes nodes^2 messages, but
continued from {} nodes by the equation of "Optimizing Synchronization Operations
for Remote Memory Communication Systems" (2003). Locks and atomic operations: every node contends, or adds to one word.
)";

std::string report_of(const Arguments& arguments, const Observed& observed, const sim::Calibration& calibration,
                      const std::vector<sim::Prediction>& predictions) {
    Text text;
    add(&text, introduction, arguments.fit_up_to, observed.machine, observed.cpus);
    add_costs(&text, calibration.costs);
    add(&text, "\n## What the model is worth\n");
    add_errors(&text, calibration);
    add(&text, larger, arguments.separation.wire_ns, arguments.separation.gigabytes_per_s, sim::linear_most);
    add_predictions(&text, predictions);
    return fmt::to_string(text);
}

std::vector<uint64_t> sizes_up_to(uint64_t most) {
    std::vector<uint64_t> sizes;
    for (const uint64_t nodes : {2, 4, 8, 16, 64, 256, 1024, 16384, 131072}) {
        if (nodes < most) {
            sizes.push_back(nodes);
        }
    }
    sizes.push_back(most);
    return sizes;
}

int calibrate(const Arguments& arguments) {
    for (const std::string& name : {arguments.output, arguments.markdown, arguments.json}) {
        bench::check_file(name);
    }
    const Observed observed = read_observations(arguments.results);
    const sim::Calibration calibration = sim::calibrate(observed.observations, observed.cpus, arguments.fit_up_to);
    const std::vector<uint64_t> sizes = sizes_up_to(arguments.most);
    std::vector<sim::Prediction> predictions;
    {
        Progress progress(sizes.size() * sim::simulations_each);
        predictions = sim::predict(calibration.costs, arguments.separation, sizes, arguments.jobs,
                                   [&] { progress.step("predicting"); });
    }
    write_file(arguments.output, settings_of(calibration.costs));
    write_file(arguments.json, json_of(calibration, predictions));
    const std::string report = report_of(arguments, observed, calibration, predictions);
    write_file(arguments.markdown, report);
    fmt::print("{}", report);
    return 0;
}

}  // namespace

void add_calibrate_command(CLI::App* sim, int* exit_code) {
    CLI::App* const command = sim->add_subcommand(
        "calibrate", "fit the cluster model to the benchmarks' results, and predict larger clusters");
    const auto arguments = std::make_shared<Arguments>();
    command->add_option("results", arguments->results, "JSON of bench barrier, fence, lock, atomics; several")
        ->required();
    command->add_option("--fit-up-to", arguments->fit_up_to, "fit to runs of so many nodes, test with the others (4)")
        ->check(CLI::Range(1, 1 << 20));
    command->add_option("--most", arguments->most, "predict up to so many nodes (1048576)")
        ->check(CLI::Range(2, 1 << 24));
    command->add_option("--wire-ns", arguments->separation.wire_ns, "between machines of their own (1000)")
        ->check(CLI::Range(0.0, 1e9));
    command->add_option("--bandwidth-gbps", arguments->separation.gigabytes_per_s, "gigabytes per second (12.5)")
        ->check(CLI::Range(1e-3, 1e5));
    command->add_option("--jobs", arguments->jobs, "threads (one for each CPU)")->check(CLI::Range(1, 1024));
    command->add_option("--output", arguments->output, "write the fitted model to this file, for `sim run`");
    command->add_option("--markdown", arguments->markdown, "write the report to this file too");
    command->add_option("--json", arguments->json, "write the numbers to this file");
    command->callback([arguments, exit_code] { *exit_code = calibrate(*arguments); });
}

}  // namespace syncline::tools
