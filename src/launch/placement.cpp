// SPDX-License-Identifier: BSD-3-Clause
#include "launch/placement.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "base/check.h"
#include "base/counted.h"
#include "base/failure.h"
#include "launch/core_supply.h"

namespace syncline {
namespace {

Supply supply_of(const Topology& topology, const Others& others, const JobShape& job) {
    Supply supply;
    for (size_t core = 0; core < topology.cores.size(); core++) {
        const bool is_of_agents = job.has_agents && has_cpu(topology.cores[core], job.agent_cpu);
        (others.claimed[core] || is_of_agents ? supply.taken : supply.free).push_back(core);
    }
    return supply;
}

// The agents that need a core from the supply.
uint32_t agents_of(const JobShape& job) {
    return job.has_agents && job.agent_cpu < 0 ? job.map.nodes() : 0;
}

// Why there are too few cores for the default; "": there are enough.
std::string too_few(const Supply& supply, const JobShape& job) {
    const uint32_t agents = agents_of(job);
    const uint32_t needed = job.map.ranks() + agents;
    if (needed <= supply.free.size()) {
        return "";
    }
    const std::string need =
        fmt::format("{}{} need {}, and this process may use {}", counted(job.map.ranks(), "PE"),
                    agents == 0 ? "" : " and " + counted(agents, "agent"), counted(needed, "core"), supply.all());
    return needed <= supply.all() ? fmt::format("{}, of which other jobs and agents have {}", need, supply.taken.size())
                                  : need;
}

// Why the default binds nothing; "": it binds.
std::string why_none(const Others& others, const Supply& supply, const JobShape& job) {
    if (const std::string why = why_on_no_machine(job); !why.empty()) {
        return why;
    }
    if (!others.are_seen) {
        return "this network namespace hides other jobs, which may use the same CPUs";
    }
    if (job.has_agents && job.resident_daemons && job.agent_cpu < 0) {
        return "the agent is a resident daemon's and may run on any core";
    }
    return too_few(supply, job);
}

// Large nodes come first, because small ones fit into what is left of a socket.
std::vector<uint32_t> nodes_by_size(const RankMap& map) {
    std::vector<uint32_t> nodes(map.nodes());
    std::iota(nodes.begin(), nodes.end(), 0u);
    std::sort(nodes.begin(), nodes.end(), [&](uint32_t one, uint32_t other) {
        const uint32_t pes = map.ports_of(one);
        return pes != map.ports_of(other) ? pes > map.ports_of(other) : one < other;
    });
    return nodes;
}

struct Assignment {
    Cores of_rank;
    Cores of_agent;  // by node; none: agents get no core of their own
};

// Gives a core to each PE and, where there are enough, to each agent.
Assignment assign(const Topology& topology, const Supply& supply, const JobShape& job) {
    const uint32_t agents = job.resident_daemons ? 0 : agents_of(job);
    const bool with_agents = agents != 0 && job.map.ranks() + agents <= supply.free.size();
    CorePool pool(topology, supply.choose(job.map.ranks() + (with_agents ? agents : 0)));
    Assignment assignment = {Cores(job.map.ranks()), Cores(with_agents ? agents : 0)};
    for (const uint32_t node : nodes_by_size(job.map)) {
        const Cores taken = pool.take(job.map.ports_of(node) + (with_agents ? 1 : 0));
        SYNCLINE_ASSERT(taken.size() == job.map.ports_of(node) + (with_agents ? 1 : 0), "%zu cores of node %u",
                        taken.size(), node);
        for (uint32_t port = 0; port < job.map.ports_of(node); port++) {
            assignment.of_rank[job.map.rank_at(node, port)] = taken[port];
        }
        if (with_agents) {
            assignment.of_agent[node] = taken.back();
        }
    }
    return assignment;
}

// The cores that the job uses, ascending.
Cores used_cores(const Topology& topology, const JobShape& job, const Assignment& assignment) {
    Cores used = assignment.of_rank;
    used.insert(used.end(), assignment.of_agent.begin(), assignment.of_agent.end());
    for (size_t core = 0; core < topology.cores.size(); core++) {
        if (job.has_agents && has_cpu(topology.cores[core], job.agent_cpu)) {
            used.push_back(core);
        }
    }
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    return used;
}

// `left`: the free cores that the job does not use.
Cpus cpus_of_daemon(const Topology& topology, const JobShape& job, const Assignment& assignment, const Cores& left,
                    uint32_t node) {
    if (!assignment.of_agent.empty()) {
        return topology.cores[assignment.of_agent[node]].cpus;
    }
    Cores of_pes;
    for (const uint16_t rank : job.map.ranks_of(node)) {
        of_pes.push_back(assignment.of_rank[rank]);
    }
    const Cores around = sockets_around(topology, of_pes);
    const Cores near = within(left, around);
    const Cores& best = !near.empty() ? near : job.has_agents && !left.empty() ? left : around;
    return cpus_of(topology, best);
}

Placement bind_pes(const Topology& topology, const Others& others, const Supply& supply, const JobShape& job,
                   BindTo bind_to) {
    const Assignment assignment = assign(topology, supply, job);
    const Cores used = used_cores(topology, job, assignment);
    Placement placement;
    placement.bound_to = bind_to;
    placement.core_of_rank = assignment.of_rank;
    for (const size_t core : assignment.of_rank) {
        const Cores own = bind_to == BindTo::kSocket ? sockets_around(topology, {core}) : Cores{core};
        placement.cpus_of_rank.push_back(cpus_of(topology, own));
        placement.on_claimed_cores += others.claimed[core] ? 1 : 0;
    }
    const Cores left = without(supply.free, used);
    for (uint32_t node = 0; node < job.map.nodes() && !job.resident_daemons; node++) {
        placement.cpus_of_daemon.push_back(cpus_of_daemon(topology, job, assignment, left, node));
    }
    std::copy_if(used.begin(), used.end(), std::back_inserter(placement.cores_to_claim),
                 [&](size_t core) { return !others.claimed[core]; });
    return placement;
}

Placement bind_nothing(const std::string& why) {
    Placement placement;
    placement.why_not = why;
    return placement;
}

}  // namespace

std::string why_on_no_machine(const JobShape& job) {
    if (job.map.ranks() == 1) {
        return "the job has one PE, which has no other to stay away from";
    }
    if (job.threads_of_pe > 1) {
        return fmt::format("OMP_NUM_THREADS gives each PE {} threads, which would share its core", job.threads_of_pe);
    }
    return "";
}

Placement place(const Topology& topology, const Others& others, const JobShape& job, BindTo bind_to) {
    if (bind_to == BindTo::kNone) {
        return bind_nothing("--bind-to none");
    }
    const Supply supply = supply_of(topology, others, job);
    if (bind_to == BindTo::kDefault) {
        const std::string why = why_none(others, supply, job);
        return why.empty() ? bind_pes(topology, others, supply, job, BindTo::kCore) : bind_nothing(why);
    }
    if (supply.all() < (bind_to == BindTo::kCore ? job.map.ranks() : 1)) {
        fail(SYNCLINE_ERR_INVALID,
             "--bind-to core: {} need a core each, and this process may use {}; with --bind-to none PEs share cores",
             counted(job.map.ranks(), "PE"), counted(supply.all(), "core"));
    }
    return bind_pes(topology, others, supply, job, bind_to);
}

}  // namespace syncline
