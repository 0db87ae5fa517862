// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of `syncline bench`. Each function adds its subcommand; a subcommand that runs stores its exit code.
#pragma once

namespace CLI {
class App;
}

namespace syncline::bench {

// Adds all of them.
void add_bench_command(CLI::App* app, int* exit_code);

void add_bench_armci_command(CLI::App* bench, int* exit_code);
void add_bench_atomics_command(CLI::App* bench, int* exit_code);
void add_bench_barrier_command(CLI::App* bench, int* exit_code);
void add_bench_bulk_command(CLI::App* bench, int* exit_code);
void add_bench_dsm_command(CLI::App* bench, int* exit_code);
void add_bench_fence_command(CLI::App* bench, int* exit_code);
void add_bench_lock_command(CLI::App* bench, int* exit_code);
void add_bench_plot_command(CLI::App* bench, int* exit_code);
void add_bench_random_access_command(CLI::App* bench, int* exit_code);
void add_bench_shmem_command(CLI::App* bench, int* exit_code);

}  // namespace syncline::bench
