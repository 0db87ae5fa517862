// SPDX-License-Identifier: BSD-3-Clause
#include "sim/command/calibrate_command.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <thread>

#include "bench/report/progress.h"
#include "bench/report/result_files.h"
#include "sim/command/calibration_report.h"

namespace syncline::tools {
namespace {

using bench::Progress;
using bench::write_file;

struct CalibrateArguments {
    std::vector<std::string> results;
    CalibrationReport report;
    uint64_t most = 1 << 20;
    unsigned jobs = std::max(std::thread::hardware_concurrency(), 1u);
    std::string output, markdown, json;
};

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

int calibrate(CalibrateArguments* arguments) {
    for (const std::string& name : {arguments->output, arguments->markdown, arguments->json}) {
        bench::check_file(name);
    }
    CalibrationReport& report = arguments->report;
    report.observed = read_observations(arguments->results);
    report.calibration = sim::calibrate(report.observed.observations, report.observed.cpus, report.fit_up_to);
    const std::vector<uint64_t> sizes = sizes_up_to(arguments->most);
    {
        Progress progress(sizes.size() * sim::simulations_each);
        report.predictions = sim::predict(report.calibration.costs, report.separation, sizes, arguments->jobs,
                                          [&] { progress.step("predicting"); });
    }
    write_file(arguments->output, settings_of(report));
    write_file(arguments->json, json_of(report));
    const std::string text = markdown_of(report);
    write_file(arguments->markdown, text);
    fmt::print(bench::stream_beside({arguments->output, arguments->json, arguments->markdown}), "{}", text);
    return 0;
}

}  // namespace

void add_calibrate_command(CLI::App* sim, int* exit_code) {
    CLI::App* const command = sim->add_subcommand(
        "calibrate", "fit the cluster model to the benchmarks' results, and predict larger clusters");
    const auto arguments = std::make_shared<CalibrateArguments>();
    command->add_option("results", arguments->results, "JSON files of bench barrier, fence, lock and atomics")
        ->required();
    command
        ->add_option("--fit-up-to", arguments->report.fit_up_to,
                     "fit to runs of up to this many nodes, test with the others (4)")
        ->check(CLI::Range(1, 1 << 20));
    command->add_option("--most", arguments->most, "predict up to this many nodes (1048576)")
        ->check(CLI::Range(2, 1 << 24));
    command
        ->add_option("--wire-ns", arguments->report.separation.wire_ns, "latency of the wire between machines (1000)")
        ->check(CLI::Range(0.0, 1e9));
    command
        ->add_option("--bandwidth-gbps", arguments->report.separation.gigabytes_per_s,
                     "bandwidth between machines in gigabytes per second (12.5)")
        ->check(CLI::Range(1e-3, 1e5));
    command->add_option("--jobs", arguments->jobs, "threads (one for each CPU)")->check(CLI::Range(1, 1024));
    command->add_option("--output", arguments->output, "write the fitted model to this file, for `sim run`");
    command->add_option("--markdown", arguments->markdown, "write the report to this file too");
    command->add_option("--json", arguments->json, "write the numbers to this file");
    command->callback([arguments, exit_code] { *exit_code = calibrate(arguments.get()); });
}

}  // namespace syncline::tools
