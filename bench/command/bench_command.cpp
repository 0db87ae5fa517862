// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench`
#include <CLI/App.hpp>

#include "bench/atomics/parts.h"
#include "bench/atomics/report.h"
#include "bench/command/commands.h"
#include "bench/report/pictures.h"
#include "bench/report/result_files.h"

namespace syncline::bench {
namespace {

const std::vector<std::string> all_parts = {"latency", "computing", "local", "rates", "counter", "bandwidth"};

struct Arguments {
    Settings settings;
    ResultFiles files;
};

void set_defaults(Settings* settings) {
    if (settings->iterations == 0) {
        settings->iterations = settings->quick ? 1000 : 2000;
    }
    if (settings->repeats == 0) {
        settings->repeats = settings->quick ? 10 : 30;
    }
    if (settings->parts.empty()) {
        settings->parts = settings->quick ? std::vector<std::string>{"latency", "rates"} : all_parts;
    }
}

std::vector<PartPointer> make_parts(const World& world, const Settings& settings) {
    using Make = PartPointer (*)(const World&, const Settings&);
    const std::pair<const char*, Make> makers[] = {{"latency", make_latency}, {"computing", make_computing},
                                                   {"local", make_local},     {"rates", make_rates},
                                                   {"counter", make_counter}, {"bandwidth", make_bandwidth}};
    std::vector<PartPointer> parts;
    for (const auto& [name, make] : makers) {
        if (settings.has(name)) {
            parts.push_back(make(world, settings));
        }
    }
    return parts;
}

Results measure(const Settings& settings) {
    const World world(settings.has("bandwidth") ? 3 : 2);
    Results results;
    results.settings = settings;
    results.remarks = world.remarks();
    const std::vector<PartPointer> parts = make_parts(world, settings);
    uint64_t steps = 0;
    for (const PartPointer& part : parts) {
        steps += part->batches() * part->repeats();
    }
    Progress progress(steps);
    for (const PartPointer& part : parts) {
        for (uint64_t i = 0; i < part->repeats(); i++) {
            part->repeat(&progress);
        }
        part->finish(&results);
    }
    return results;
}

int bench_atomics(Arguments& arguments) {
    set_defaults(&arguments.settings);
    arguments.files.check();
    const Results results = measure(arguments.settings);
    const Machine machine = describe_machine();
    fmt::print("{}", table_of(results, machine));
    const Json json = json_of(results, machine);
    arguments.files.write(text_of(json), picture_of(json));
    return 0;
}

}  // namespace

void add_bench_command(CLI::App* app, int* exit_code) {
    auto arguments = std::make_shared<Arguments>();
    Settings& settings = arguments->settings;
    CLI::App* const bench = app->add_subcommand("bench", "Measure Syncline on this machine");
    bench->require_subcommand(1);
    CLI::App* const command = bench->add_subcommand(
        "atomics",
        "Remote atomics that the NIC (XDP) executes against those of a host agent (UDP), on private test beds: the "
        "experiments of Buntinas, Panda and Gropp's \"NIC-Based Atomic Remote Memory Operations in Myrinet/GM\", "
        "figures 4, 7 and 8, and rates. Needs root for XDP; without it compares what runs. About two minutes.");
    command->add_flag("--quick", settings.quick, "latency and rates only, within half a minute");
    arguments->files.add_options(command);
    command
        ->add_option("--iterations", settings.iterations, "atomics in a batch of the latency part (2000; quick: 1000)")
        ->check(CLI::Range(10, 1'000'000));
    command->add_option("--repeats", settings.repeats, "batches of every series (30; quick: 10)")
        ->check(CLI::Range(1, 10'000));
    command->add_option("--parts", settings.parts, "only these: latency,computing,local,rates,counter,bandwidth")
        ->delimiter(',')
        ->check(CLI::IsMember(all_parts));
    command->callback([arguments, exit_code] { *exit_code = bench_atomics(*arguments); });
    add_bench_barrier_command(bench, exit_code);
    add_bench_fence_command(bench, exit_code);
    add_bench_lock_command(bench, exit_code);
    add_bench_random_access_command(bench, exit_code);
    add_bench_shmem_command(bench, exit_code);
    add_bench_plot_command(bench, exit_code);
}

}  // namespace syncline::bench
