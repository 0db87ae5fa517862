// SPDX-License-Identifier: BSD-3-Clause
// `syncline sim calibrate`: from live runs to sizes that nobody has.
#pragma once

namespace CLI {
class App;
}

namespace syncline::tools {

void add_calibrate_command(CLI::App* sim, int* exit_code);

}  // namespace syncline::tools
