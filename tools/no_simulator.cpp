// SPDX-License-Identifier: BSD-3-Clause
// `syncline sim` of a build that leaves the simulator out (SYNCLINE_SIMULATOR): --help does not list the command, and a
// call of it fails with the reason.
#include <CLI/CLI.hpp>

#include "base/failure.h"
#include "sim/command/sim_command.h"

namespace syncline::tools {

void add_sim_command(CLI::App* app, int* /*exit_code*/) {
    CLI::App* const sim = app->add_subcommand("sim", "")->group("")->allow_extras();
    sim->set_help_flag();
    sim->callback([] {
        fail(SYNCLINE_ERR_UNSUPPORTED, "this build has no simulator; cmake -DSYNCLINE_SIMULATOR=ON makes one that has");
    });
}

}  // namespace syncline::tools
