// SPDX-License-Identifier: BSD-3-Clause
// The `syncline` command: its subcommands and options, and its way with mistakes.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace syncline::tools {

// Adds everything to the app. A subcommand that runs leaves its exit code.
void build_app(CLI::App* app, int* exit_code);

// The words behind `syncline`, last one first, as the parser takes them. Throws UsageError.
std::vector<std::string> words_for_parser(const CLI::App& app, const std::vector<std::string>& words);

// The whole command. Also an output that cannot be written is a failure.
int run_app(int argc, char** argv);

}  // namespace syncline::tools
