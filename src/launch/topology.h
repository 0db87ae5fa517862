// SPDX-License-Identifier: BSD-3-Clause
// The cores of this machine that this process may use, as hwloc finds them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "launch/cpus.h"

struct hwloc_topology;

namespace syncline {

struct Core {
    uint32_t number;     // hwloc's logical number, as lstopo shows it
    uint32_t socket;     // likewise
    uint32_t first_cpu;  // of all its hardware threads; names the core to all processes alike
    Cpus cpus;           // those of its hardware threads that this process may use: one at least
};

struct Topology {
    std::vector<Core> cores;       // in hwloc's order: neighbours share caches
    uint32_t cpus_of_machine = 0;  // also those that this process may not use
    bool is_this_machine = true;   // false: a user has hwloc read another one (HWLOC_XMLFILE, HWLOC_SYNTHETIC)
};

// The cores of a machine that hwloc has read; `allowed`: the CPUs that this process may use. Without, it may use all.
Topology topology_of(hwloc_topology* machine, const std::optional<Cpus>& allowed);

// Throws Failure if hwloc cannot read this machine.
Topology read_topology();

}  // namespace syncline
