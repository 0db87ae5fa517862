// SPDX-License-Identifier: BSD-3-Clause
// The user's wishes for a job, before the machine has been asked.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "job/heap_size.h"
#include "job/job.h"
#include "launch/placement.h"
#include "testbed/testbed.h"

namespace syncline {

// One of the programs of a job that has several.
struct ProgramPart {
    uint32_t ranks = 1;
    std::vector<std::string> program;      // with its arguments
    std::vector<std::string> environment;  // NAME=value for its PEs
    std::string directory;                 // where it starts; empty: in the launcher's
};

struct LaunchOptions {
    uint32_t ranks = 1;
    uint32_t nodes = 1;
    std::string map_by = "block";            // how PEs are laid out over the nodes: see RankMap::lay_out()
    BindTo bind_to = BindTo::kDefault;       // see placement.h
    bool report_bindings = false;            // says on stderr where each PE runs
    std::optional<TransportKind> transport;  // none: the best this machine can
    std::vector<std::string> program;        // with its arguments
    std::string directory;                   // where it starts; empty: in the launcher's
    // PEs behind those of `program`, which are the first ones: each part's have consecutive ranks. `ranks` counts all.
    std::vector<ProgramPart> more_programs;
    uint64_t heap_bytes = heap_bytes_default;
    uint64_t memory_limit = UINT64_MAX;  // of all nodes' heaps, tables and registrations
    uint32_t window = 32;
    bool authenticate = true;
    bool ipv6 = false;
    uint32_t udp_port = 0;  // 0: the usual one, or a free one where that is taken
    uint32_t peer_timeout_ms = 5000;
    AgentMode agent_mode = AgentMode::kSpinBlock;
    int agent_cpu = -1;
    FaultRates faults;  // in the processes (shm, udp) or at the private test bed's switch (xdp)
    std::string user;   // run the PEs as this user; empty: as the caller (with sudo, sudo's caller)
    // Nodes of xdp are those of a test bed; nodes of udp are, if one of these asks for it.
    std::string testbed;  // a named one; empty: for xdp the one named "default" if it is up, else private
    std::optional<testbed::SwitchKind> switch_kind;    // a private one with this switch
    std::vector<int> mtus;                             // a private one whose nodes have these MTUs in turn
    const testbed::Testbed* shared_testbed = nullptr;  // one that the caller holds
    bool prefix = false;                               // put "[rank] " in front of every line of output
    bool end_on_crash = false;                         // a PE that a signal kills ends the job
    bool quiet = false;                                // no remarks on stderr
    bool prints_traces = false;                        // the PEs' traces, if the job ends by an error
    std::vector<std::string> environment;              // NAME=value for the PEs of `program`
    std::function<void(uint32_t)> node_begins;         // called as each node's daemon is to be asked for the job
    std::function<void(uint32_t)> node_ready;          // called as each node's daemon has made the job
    std::function<void(uint32_t)> child_setup;         // runs in the child before exec, for the rank
};

// Returns the first rank of each program.
std::vector<uint32_t> first_ranks(const LaunchOptions& options);
// Returns the program that a PE of this rank runs.
ProgramPart part_of(const LaunchOptions& options, uint32_t rank);

}  // namespace syncline
