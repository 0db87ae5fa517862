// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench dsm`: the experiments of Noronha 2004 (sections 5.2 and 5.3).
#include <CLI/CLI.hpp>

#include "bench/command/commands.h"
#include "bench/command/quick.h"
#include "bench/command/run_bench.h"
#include "bench/dsm/applications.h"
#include "bench/dsm/dsm_report.h"
#include "bench/dsm/dsm_world.h"
#include "testbed/testbed.h"

namespace syncline::bench {
namespace {

const std::vector<std::string> dsm_parts = {"pages", "synchronisation", "applications"};

std::vector<std::string> names_of_applications() {
    std::vector<std::string> names;
    for (const DsmApplication& application : dsm_applications) {
        names.emplace_back(application.name);
    }
    return names;
}

DsmSettings completed(DsmSettings settings) {
    const bool quick = settings.quick;
    const std::vector<std::string> protocols(std::begin(dsm_protocols), std::end(dsm_protocols));
    set_default(&settings.parts, quick, dsm_parts, dsm_parts);
    set_default(&settings.nodes, quick, {2}, {2, 4, 8, 16});
    set_default(&settings.mtus, quick, {9000}, {9000, 1500});
    set_default(&settings.protocols, quick, protocols, protocols);
    set_default(&settings.applications, quick, names_of_applications(), names_of_applications());
    set_default(&settings.sizes, quick, {std::string(quick_size)}, {std::string(large_size), std::string("small")});
    set_default(&settings.pages, quick, 128, 1024);
    set_default(&settings.iterations, quick, 50, 200);
    set_default(&settings.repeats, quick, 1, 7);
    set_default(&settings.runs, quick, 1, 3);
    std::sort(settings.nodes.begin(), settings.nodes.end());
    settings.nodes.erase(std::unique(settings.nodes.begin(), settings.nodes.end()), settings.nodes.end());
    return settings;
}

class DsmBench {
  public:
    explicit DsmBench(const DsmSettings& settings) : settings_(completed(settings)) {
        require_xdp("syncline bench dsm");
    }

    void run() {
        for (const int mtu : settings_.mtus) {
            if (settings_.has_micro()) {
                run_micro(mtu);
            }
        }
        if (settings_.has("applications")) {
            run_applications();
        }
    }
    std::string table(const Machine& machine) const { return dsm_table(result(), machine); }
    Json json(const Machine& machine) const { return dsm_json(result(), machine); }
    int exit_code() const { return failures_.empty() ? 0 : 1; }

  private:
    DsmResult result() const { return {settings_, measured_, failures_}; }
    void run_micro(int mtu) {
        DsmWorld world(settings_, mtu, &measured_);
        Progress progress(settings_.repeats * world.steps_of_round());
        for (uint64_t i = 0; i < settings_.repeats; i++) {
            world.round(&progress);
        }
    }
    void run_applications() {
        Applications applications(settings_, &measured_);
        Progress progress(settings_.runs * applications.steps_of_round());
        for (uint64_t i = 0; i < settings_.runs; i++) {
            applications.round(&progress);
        }
        failures_ = applications.failures();
    }

    const DsmSettings settings_;
    DsmMeasured measured_;
    std::vector<std::string> failures_;
};

void add_choices(CLI::App* command, DsmSettings* settings) {
    const std::vector<std::string> protocols(std::begin(dsm_protocols), std::end(dsm_protocols));
    command->add_option("--parts", settings->parts, "only these parts: pages,synchronisation,applications")
        ->delimiter(',')
        ->check(CLI::IsMember(dsm_parts));
    command->add_option("--nodes", settings->nodes, "numbers of nodes, one after the other: 2,4,8,16 (quick: 2)")
        ->delimiter(',')
        ->check(CLI::Range(2u, 16u));
    command
        ->add_option("--mtu", settings->mtus,
                     "MTUs of the links, one run for each: 9000,1500 (quick: 9000); applications have the first")
        ->delimiter(',')
        ->check(CLI::Range(testbed::mtu_min, testbed::mtu_max));
    command->add_option("--protocols", settings->protocols, "only these protocols: nic,ardmar,async")
        ->delimiter(',')
        ->check(CLI::IsMember(protocols));
    command->add_option("--applications", settings->applications, "only these applications: barnes,radix,is,fft,water")
        ->delimiter(',')
        ->check(CLI::IsMember(names_of_applications()));
    command->add_option("--sizes", settings->sizes, "sizes of the applications: large,small (quick: quick)")
        ->delimiter(',')
        ->check(CLI::IsMember({"large", "small", "quick"}));
}

void add_amounts(CLI::App* command, DsmSettings* settings) {
    command->add_option("--pages", settings->pages, "number of pages that are read (1024; quick: 128)")
        ->check(CLI::Range(16, 65536));
    command
        ->add_option("--iterations", settings->iterations,
                     "iterations of a lock by two processes, and of a barrier, in a batch (200; quick: 50)")
        ->check(CLI::Range(10, 1'000'000));
    command->add_option("--repeats", settings->repeats, "rounds of pages, locks and barriers (7; quick: 1)")
        ->check(CLI::Range(1, 10'000));
    command->add_option("--runs", settings->runs, "rounds of all applications (3; quick: 1)")
        ->check(CLI::Range(1, 1000));
    command->add_flag_callback(
        "--no-verify", [settings] { settings->verify = false; }, "do not verify the results of the applications");
    command->add_option("--time-limit", settings->time_limit_s, "limit of one run of an application, in seconds (300)")
        ->check(CLI::Range(1, 3600));
    command->add_flag("--auth", settings->authenticate, "authenticate packets");
}

}  // namespace

void add_bench_dsm_command(CLI::App* bench, int* exit_code) {
    auto settings = std::make_shared<DsmSettings>();
    CLI::App* const command = bench->add_subcommand(
        "dsm",
        "Measure distributed shared memory by each of its protocols on 2 to 16 nodes of private test beds: pages that "
        "others read, locks, barriers, allocations and five applications, alternately, against a fetch&add, a bare XDP "
        "round trip and the applications' sequential programs. These are the experiments of Noronha and Panda's "
        "\"Designing High Performance DSM Systems using InfiniBand\", figures 8 and 10 to 14. Ends with the ratios "
        "that the project wants to reach, and says whether this machine reached them. Needs root for XDP, and a "
        "compiler for the applications.");
    command->add_flag("--quick", settings->quick, "two nodes, few pages and small applications, within a minute");
    settings->files.add_options(command);
    add_choices(command, settings.get());
    add_amounts(command, settings.get());
    command->callback([settings, exit_code] { *exit_code = run_bench<DsmBench>(*settings); });
}

}  // namespace syncline::bench
