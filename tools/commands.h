// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of `syncline`. Each function adds its subcommand to the app; a subcommand that runs stores its exit
// code.
#pragma once

#include <string>
#include <vector>

#include "job/job.h"

namespace CLI {
class App;
}

namespace syncline::tools {

void add_run_command(CLI::App* app, int* exit_code);
void add_testbed_command(CLI::App* app, int* exit_code);
void add_info_command(CLI::App* app, int* exit_code);
void add_stat_command(CLI::App* app, int* exit_code);
void add_top_command(CLI::App* app, int* exit_code);

AgentMode parse_agent_mode(const std::string& name);
// Returns the number of bytes that "64MiB", "64m" or "67108864" says. Throws Failure, which names the option.
uint64_t parse_size(const char* option, const std::string& text);
// Adds --mtu, the MTUs of a test bed's nodes.
void add_mtu_option(CLI::App* command, std::vector<int>* mtus, const std::string& description);

}  // namespace syncline::tools
