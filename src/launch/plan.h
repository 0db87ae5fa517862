// SPDX-License-Identifier: BSD-3-Clause
// Decides what a launch will be: transport, nodes with their addresses and namespaces, key and job number, and the CPUs
// of its PEs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "launch/binding.h"
#include "launch/options.h"

namespace syncline {

struct PlannedNode {
    int netns = -1;  // -1: the launcher's own
    std::string interface;
    uint32_t memory_mib = 0;    // its part of the memory: see JobSpec
    std::string daemon_socket;  // where a resident daemon of this node would listen; empty: none can be
};

struct Plan {
    Job job;  // spec.config.node and ports are filled in per node by spec_of()
    std::vector<PlannedNode> nodes;
    std::unique_ptr<testbed::Testbed> testbed;  // private, or an opened named one; may be NULL
    std::string remark;                         // one line for the user, or empty
    Binding binding;                            // of its PEs; the plan holds the claims on their cores

    JobSpec spec_of(uint32_t node) const;
};

// Throws Failure: what was asked for cannot be had.
Plan make_plan(const LaunchOptions& options);

struct BindingPreview {
    TransportKind transport;
    RankMap map;
    Binding binding;
};

// Where the PEs of such a job would run if it started now; claims nothing. Throws Failure as make_plan() does.
BindingPreview preview_binding(const LaunchOptions& options);

// A UDP port that is free on all nodes at this moment. Throws Failure.
uint32_t choose_udp_port(const Plan& plan);

// Why XDP over namespaces cannot be used by this process, or "".
std::string why_no_xdp();

}  // namespace syncline
