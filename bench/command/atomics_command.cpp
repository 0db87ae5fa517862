// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench atomics`: the experiments of Buntinas 2002 (figures 4, 7 and 8), and rates.
#include <CLI/CLI.hpp>

#include "bench/atomics/parts.h"
#include "bench/atomics/report.h"
#include "bench/command/commands.h"
#include "bench/command/quick.h"
#include "bench/command/run_bench.h"

namespace syncline::bench {
namespace {

const std::vector<std::string> all_parts = {"latency", "computing", "local", "rates", "counter", "bandwidth"};

struct AtomicsArguments {
    Settings settings;
    ResultFiles files;
};

void set_defaults(Settings* settings) {
    set_default(&settings->iterations, settings->quick, 1000, 2000);
    set_default(&settings->repeats, settings->quick, 10, 30);
    set_default(&settings->parts, settings->quick, {"latency", "rates"}, all_parts);
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

class AtomicsBench {
  public:
    explicit AtomicsBench(const AtomicsArguments& arguments) {
        results_.settings = arguments.settings;
        set_defaults(&results_.settings);
    }

    void run();
    std::string table(const Machine& machine) const { return table_of(results_, machine); }
    Json json(const Machine& machine) const { return json_of(results_, machine); }

  private:
    Results results_;
};

void AtomicsBench::run() {
    const World world(results_.settings.has("bandwidth") ? 3 : 2);
    results_.remarks = world.remarks();
    const std::vector<PartPointer> parts = make_parts(world, results_.settings);
    uint64_t steps = 0;
    for (const PartPointer& part : parts) {
        steps += part->batches() * part->repeats();
    }
    Progress progress(steps);
    for (const PartPointer& part : parts) {
        for (uint64_t i = 0; i < part->repeats(); i++) {
            part->repeat(&progress);
        }
        part->finish(&results_);
    }
}

}  // namespace

void add_bench_atomics_command(CLI::App* bench, int* exit_code) {
    auto arguments = std::make_shared<AtomicsArguments>();
    Settings& settings = arguments->settings;
    CLI::App* const command = bench->add_subcommand(
        "atomics",
        "Measure remote atomics that the NIC (XDP) executes and those that a host agent (UDP) executes, on private "
        "test beds: the experiments of Buntinas, Panda and Gropp's \"NIC-Based Atomic Remote Memory Operations in "
        "Myrinet/GM\", figures 4, 7 and 8, and rates. Needs root for XDP; without root it measures what runs. "
        "Takes about two minutes.");
    command->add_flag("--quick", settings.quick, "latency and rates only, within half a minute");
    arguments->files.add_options(command);
    command
        ->add_option("--iterations", settings.iterations, "atomics in a batch of the latency part (2000; quick: 1000)")
        ->check(CLI::Range(10, 1'000'000));
    command->add_option("--repeats", settings.repeats, "batches of every series (30; quick: 10)")
        ->check(CLI::Range(1, 10'000));
    command->add_option("--parts", settings.parts, "only these parts: latency,computing,local,rates,counter,bandwidth")
        ->delimiter(',')
        ->check(CLI::IsMember(all_parts));
    command->callback([arguments, exit_code] { *exit_code = run_bench<AtomicsBench>(*arguments); });
}

}  // namespace syncline::bench
