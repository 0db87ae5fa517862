// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench`
#include <CLI/CLI.hpp>

#include "bench/command/commands.h"

namespace syncline::bench {

void add_bench_command(CLI::App* app, int* exit_code) {
    CLI::App* const bench = app->add_subcommand("bench", "Measure Syncline on this machine");
    bench->require_subcommand(1);
    add_bench_armci_command(bench, exit_code);
    add_bench_atomics_command(bench, exit_code);
    add_bench_barrier_command(bench, exit_code);
    add_bench_bulk_command(bench, exit_code);
    add_bench_dsm_command(bench, exit_code);
    add_bench_fence_command(bench, exit_code);
    add_bench_lock_command(bench, exit_code);
    add_bench_random_access_command(bench, exit_code);
    add_bench_shmem_command(bench, exit_code);
    add_bench_plot_command(bench, exit_code);
}

}  // namespace syncline::bench
