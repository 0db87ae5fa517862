// SPDX-License-Identifier: BSD-3-Clause
// `syncline sim`. A build without the simulator has the command of tools/left_out.cpp instead.
#pragma once

namespace CLI {
class App;
}

namespace syncline::tools {

// Adds the command to the app. The command stores its exit code.
void add_sim_command(CLI::App* app, int* exit_code);

}  // namespace syncline::tools
