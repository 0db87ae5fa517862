// SPDX-License-Identifier: BSD-3-Clause
// The `syncline` command: its subcommands and options, and how it answers mistakes.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace syncline::tools {

// Adds all subcommands and options to the app. A subcommand that runs stores its exit code.
void build_app(CLI::App* app, int* exit_code);

// Returns the words after `syncline`, the last one first, as the parser takes them. Throws UsageError.
std::vector<std::string> words_for_parser(const CLI::App& app, const std::vector<std::string>& words);

// Runs the whole command. Output that cannot be written counts as a failure, too.
int run_app(int argc, char** argv);

}  // namespace syncline::tools
