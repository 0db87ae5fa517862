// SPDX-License-Identifier: BSD-3-Clause
// The administrator's settings for a node's daemon, from synclined.toml and the command line. The daemon takes new ones
// while it runs. Running jobs keep theirs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "job/protocol/daemon_protocol.h"

namespace syncline {

struct UdpPorts {
    uint16_t first = service_port_first;
    uint16_t last = service_port_first + service_ports - 1;

    bool holds(uint32_t port) const { return port >= first && port <= last; }
};

struct Group {
    gid_t id;
    std::string name;
};

// Stands for an interface's name; no interface has a blank in its name.
inline constexpr const char* default_route = "default route";

struct Settings {
    // Jobs go over the first of these that this machine has, with an address.
    std::vector<std::string> interfaces = {default_route};
    UdpPorts udp_ports;

    // Whether all users may have jobs here, or only root, the daemon's own user and members of the groups.
    bool serves_users = false;
    std::vector<Group> groups;
    uint32_t jobs_of_user = 16;
    uint64_t memory_of_user = UINT64_MAX;  // of all jobs of one user: heaps, tables and registrations, in bytes

    uint64_t memory_limit = UINT64_MAX;  // of all jobs together
    double memory_of_job = 0.75;         // share of the memory that is left when a job begins

    int32_t agent_cpu = -1;  // CPU for the agents of jobs over udp; -1: the kernel chooses
};

// Returns the group of this name. Throws Failure.
Group find_group(const std::string& name);
// Throws Failure unless the daemon may run on this CPU.
void check_cpu(int64_t cpu);
// Throws Failure unless an interface can have this name.
void check_interface(const std::string& name);

}  // namespace syncline
