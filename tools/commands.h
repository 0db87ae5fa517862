// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of `syncline`. Each function adds its subcommand to the app; a subcommand that runs stores its exit
// code.
#pragma once

#include <string>
#include <vector>

#include "job/job.h"
#include "launch/placement.h"

namespace CLI {
class App;
}

namespace syncline::tools {

void add_run_command(CLI::App* app, int* exit_code);
void add_testbed_command(CLI::App* app, int* exit_code);
void add_info_command(CLI::App* app, int* exit_code);
void add_perf_command(CLI::App* app, int* exit_code);
void add_stat_command(CLI::App* app, int* exit_code);
void add_top_command(CLI::App* app, int* exit_code);

// --bind-to and --map-by, which `syncline run` and the placement that `syncline info` shows have.
inline constexpr const char* bind_to_help =
    "CPUs of a PE: core (one of its own), socket (all of one socket), or none (the kernel chooses); without this "
    "option core if each PE and each agent gets a core that no other job has, else none";
inline constexpr const char* map_by_help =
    "layout of the PEs over the nodes: block, slot or core (consecutive ranks share a node), cyclic or node (PE r is "
    "on node r modulo the number of nodes), or each PE's node, as in 0,1,0,2";
std::vector<std::string> bind_to_names();
BindTo parse_bind_to(const std::string& name);  // "": the default

AgentMode parse_agent_mode(const std::string& name);
// Adds --mtu, the MTUs of a test bed's nodes.
void add_mtu_option(CLI::App* command, std::vector<int>* mtus, const std::string& description);

}  // namespace syncline::tools
