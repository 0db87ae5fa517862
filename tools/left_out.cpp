// SPDX-License-Identifier: BSD-3-Clause
// The commands that this build leaves out (SYNCLINE_BENCH, SYNCLINE_SIMULATOR): --help does not list such a command,
// and a call of it fails with the reason.
#include <CLI/CLI.hpp>

#include "base/failure.h"
#include "bench/command/commands.h"
#include "sim/command/sim_command.h"

namespace syncline {
namespace {

[[maybe_unused]] void leave_out(CLI::App* app, const char* name, const char* part, const char* option) {
    CLI::App* const command = app->add_subcommand(name, "")->group("")->allow_extras();
    command->set_help_flag();
    command->callback([part, option] {
        fail(SYNCLINE_ERR_UNSUPPORTED, "this build has no {}; cmake -D{}=ON makes one that has", part, option);
    });
}

}  // namespace

#ifndef SYNCLINE_HAS_BENCH
void bench::add_bench_command(CLI::App* app, int* /*exit_code*/) {
    leave_out(app, "bench", "benchmarks", "SYNCLINE_BENCH");
}
#endif

#ifndef SYNCLINE_HAS_SIMULATOR
void tools::add_sim_command(CLI::App* app, int* /*exit_code*/) {
    leave_out(app, "sim", "simulator", "SYNCLINE_SIMULATOR");
}
#endif

}  // namespace syncline
