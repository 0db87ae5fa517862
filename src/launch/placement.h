// SPDX-License-Identifier: BSD-3-Clause
// Which core each PE of a job gets: a function of the machine, of what other jobs have there, and of the job. It calls
// nothing of the system's.
//
// `--bind-to core`: each PE gets a core of its own, with all hardware threads of it that the launcher may use. Cores
// that other jobs have claimed come last. Too few cores are an error, because PEs that poll on one core wait for each
// other.
// `--bind-to socket`: each PE gets all CPUs of the socket where its core is; PEs may outnumber the cores.
// `--bind-to none`: PEs run wherever the launcher may.
//
// The default is core if that costs nothing, else none. These are its conditions: the job has two PEs at least, for one
// alone has none to stay away from; each PE, and each node's host agent where a job over udp has one, gets a core that
// no other job has claimed; PEs have no threads of their own that the launcher knows of (OMP_NUM_THREADS), which would
// all run on one core; and the launcher sees the other jobs (core_claims.h).
//
// PEs of one node are placed on one socket where they fit. The agent of a node is next to its PEs, and the node's
// private daemon runs on the agent's core. A daemon without an agent mostly sleeps: it runs on cores that are left on
// the sockets of its PEs. Where none is left it may use all cores of these sockets, because the memory of a job over
// xdp is near the CPU on which its daemon makes it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "job/rank_map.h"
#include "launch/topology.h"

namespace syncline {

enum class BindTo { kDefault, kCore, kSocket, kNone };

// A job, as far as its placement depends on it.
struct JobShape {
    RankMap map;
    bool has_agents = false;        // a thread of each node's daemon executes requests
    bool resident_daemons = false;  // this launcher does not start the daemons, so it does not place them
    int agent_cpu = -1;             // where the user puts all agents, or -1
    long threads_of_pe = 1;         // as OMP_NUM_THREADS says
};

struct Others {
    std::vector<bool> claimed;  // which cores of the topology other jobs have
    bool are_seen = true;       // by this process
};

struct Placement {
    // The CPUs of a PE, and of a node's private daemon; none: those of the launcher.
    Cpus of_rank(uint32_t rank) const { return cpus_of_rank.empty() ? Cpus() : cpus_of_rank[rank]; }
    Cpus of_daemon(uint32_t node) const { return cpus_of_daemon.empty() ? Cpus() : cpus_of_daemon[node]; }

    BindTo bound_to = BindTo::kNone;
    std::string why_not;               // PEs are not bound; the fields below are empty then
    std::vector<size_t> core_of_rank;  // an index into Topology::cores
    std::vector<Cpus> cpus_of_rank;
    std::vector<Cpus> cpus_of_daemon;    // by node
    std::vector<size_t> cores_to_claim;  // ascending
    size_t on_claimed_cores = 0;         // PEs that share a core with another job
};

// Returns why the default binds the PEs of this job on no machine; "" where that depends on the machine.
std::string why_on_no_machine(const JobShape& job);

// Throws Failure where `--bind-to core` asks for more cores than there are.
Placement place(const Topology& topology, const Others& others, const JobShape& job, BindTo bind_to);

}  // namespace syncline
