// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench armci`: the options.
#include <CLI/CLI.hpp>

#include "bench/armci/armci_bench.h"
#include "bench/command/commands.h"
#include "bench/command/quick.h"
#include "bench/command/run_bench.h"

namespace syncline::bench {

namespace {

void add_layout(CLI::App* command, ShmemLayout* layout) {
    command->add_option("-n,--pes", layout->pes, "processes (2)")->check(CLI::Range(2u, 64u));
    command->add_option("-N,--nodes", layout->nodes, "nodes of a private test bed; 1: this machine (1)")
        ->check(CLI::Range(1u, 16u));
    command->add_option("-t,--transport", layout->transport, "Syncline's transport between nodes: xdp or udp (xdp)")
        ->check(CLI::IsMember({"xdp", "udp"}));
    command->add_flag_callback(
        "--no-auth", [layout] { layout->authenticate = false; }, "do not authenticate Syncline's packets");
    command->add_option("--mtu", layout->mtu, "MTU of the test bed's links (1500)")->check(CLI::Range(1280, 9000));
}

}  // namespace

void add_bench_armci_command(CLI::App* bench, int* exit_code) {
    auto arguments = std::make_shared<ArmciArguments>();
    CLI::App* const command = bench->add_subcommand(
        "armci",
        "Run one standard ARMCI program alternately over Syncline and over another library: puts, gets, blocks of an "
        "array, accumulates, fetch&add, a contended mutex, and the barrier after puts to all. With build trees of "
        "Global Arrays, also run its performance program and a matrix product with a shared counter. Ends with the "
        "ratios that the project wants to reach, and says whether this machine reached them.");
    command->add_flag("--quick", arguments->quick, "few samples, in one run of each library");
    arguments->files.add_options(command);
    command->add_option("--peer", arguments->peer, "the other library: armci-mpi (over Open MPI)")
        ->check(CLI::IsMember({"armci-mpi"}));
    arguments->peer_options.add_to(command);
    command
        ->add_option("--ga", arguments->global_arrays, "a build tree of Global Arrays on this library, beside Open MPI")
        ->check(CLI::ExistingDirectory);
    command
        ->add_option("--peer-ga", arguments->peer_global_arrays, "a build tree of Global Arrays on the other library")
        ->check(CLI::ExistingDirectory);
    add_layout(command, &arguments->layout);
    command->add_option("--samples", arguments->samples, "samples of each quantity in a run (1000; quick: 100)")
        ->check(CLI::Range(20, 1'000'000));
    command->add_option("--repeats", arguments->repeats, "runs of each library (5; quick: 1)")
        ->check(CLI::Range(1, 1000));
    command->add_option("--time-limit", arguments->time_limit_s, "limit of one run, in seconds (300)")
        ->check(CLI::Range(1, 3600));
    command->callback([arguments, exit_code] {
        set_default(&arguments->samples, arguments->quick, 100, 1000);
        set_default(&arguments->repeats, arguments->quick, 1, 5);
        *exit_code = run_bench<ArmciBench>(*arguments);
    });
}

}  // namespace syncline::bench
