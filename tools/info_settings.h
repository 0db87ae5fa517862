// SPDX-License-Identifier: BSD-3-Clause
// `syncline info --settings`: all that a user may set, from the tables of variables, of options and of the daemon's
// configuration.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace syncline::tools {

// Prints each setting with its value, its source, its default and its meaning; mistakes are part of it. `run` has the
// options of `syncline run`; `configuration` names a file, or is empty for the one that synclined reads.
int show_settings(const CLI::App& run, const std::string& configuration);

}  // namespace syncline::tools
