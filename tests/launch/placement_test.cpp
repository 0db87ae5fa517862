// SPDX-License-Identifier: BSD-3-Clause
// Method: placements of jobs on machines that hwloc makes from a description: one socket and two, cores with one thread
// and two, masks that leave CPUs out, cores that other jobs have, nodes of different sizes, agents. Then drawn machines
// and jobs: what the default promises holds for each of them.
#include "launch/placement.h"

#include <gtest/gtest.h>
#include <hwloc.h>

#include <algorithm>
#include <random>
#include <set>

#include "base/failure.h"

namespace syncline {
namespace {

Topology machine_of(const std::string& description, const std::optional<Cpus>& allowed = std::nullopt) {
    hwloc_topology_t machine = nullptr;
    hwloc_topology_init(&machine);
    EXPECT_EQ(hwloc_topology_set_synthetic(machine, description.c_str()), 0) << description;
    EXPECT_EQ(hwloc_topology_load(machine), 0);
    Topology topology = topology_of(machine, allowed);
    hwloc_topology_destroy(machine);
    return topology;
}

JobShape job_of(uint32_t ranks, uint32_t nodes, const std::string& map_by = "block") {
    return {.map = RankMap::lay_out(map_by, ranks, nodes)};
}

JobShape udp_job_of(uint32_t ranks, uint32_t nodes) {
    JobShape job = job_of(ranks, nodes);
    job.has_agents = true;
    return job;
}

Placement place_alone(const Topology& topology, const JobShape& job, BindTo bind_to = BindTo::kDefault) {
    return place(topology, {std::vector<bool>(topology.cores.size())}, job, bind_to);
}

Others others_with(const Topology& topology, const std::set<size_t>& claimed) {
    Others others{std::vector<bool>(topology.cores.size())};
    for (const size_t core : claimed) {
        others.claimed[core] = true;
    }
    return others;
}

std::set<uint32_t> sockets_of(const Topology& topology, const JobShape& job, const Placement& placement,
                              uint32_t node) {
    std::set<uint32_t> sockets;
    for (const uint16_t rank : job.map.ranks_of(node)) {
        sockets.insert(topology.cores[placement.core_of_rank[rank]].socket);
    }
    return sockets;
}

template <typename Call>
std::string refusal_of(Call call) {
    try {
        call();
    } catch (const Failure& failure) {
        return failure.what();
    }
    return "";
}

const char* const two_cores = "pack:1 core:2 pu:1";
const char* const two_sockets = "pack:2 core:8 pu:2";

TEST(Placement, EachPeGetsACoreOfItsOwnOrNoneDoes) {
    const Topology machine = machine_of(two_cores);
    const Placement two = place_alone(machine, job_of(2, 1));
    EXPECT_EQ(two.bound_to, BindTo::kCore);
    EXPECT_EQ(two.cpus_of_rank, (std::vector<Cpus>{{0}, {1}}));
    EXPECT_EQ(two.cores_to_claim, (std::vector<size_t>{0, 1}));
    EXPECT_EQ(two.of_daemon(0), (Cpus{0, 1})) << "no core is left for the daemon";
    const Placement three = place_alone(machine, job_of(3, 1));
    EXPECT_EQ(three.bound_to, BindTo::kNone);
    EXPECT_EQ(three.why_not, "3 PEs need 3 cores, and this process may use 2");
    EXPECT_EQ(three.of_rank(2), Cpus{});
    EXPECT_TRUE(three.cores_to_claim.empty());
    EXPECT_EQ(place_alone(machine, job_of(2, 2)).bound_to, BindTo::kCore) << "nodes of one machine count together";
    EXPECT_EQ(place_alone(machine, job_of(3, 2)).bound_to, BindTo::kNone);
}

TEST(Placement, TheDefaultLeavesOnePeAndPesWithThreadsAlone) {
    const Topology machine = machine_of(two_sockets);
    EXPECT_NE(place_alone(machine, job_of(1, 1)).why_not.find("one PE"), std::string::npos);
    EXPECT_EQ(place_alone(machine, job_of(1, 1), BindTo::kCore).cpus_of_rank, (std::vector<Cpus>{{0, 1}}));
    JobShape threads = job_of(2, 1);
    threads.threads_of_pe = 4;
    EXPECT_NE(place_alone(machine, threads).why_not.find("OMP_NUM_THREADS gives each PE 4 threads"), std::string::npos);
    EXPECT_EQ(place_alone(machine, threads, BindTo::kCore).bound_to, BindTo::kCore);
    const Others hidden = {std::vector<bool>(16), false};
    EXPECT_NE(place(machine, hidden, job_of(2, 1), BindTo::kDefault).why_not.find("hides other jobs"),
              std::string::npos);
    EXPECT_EQ(place(machine, hidden, job_of(2, 1), BindTo::kCore).bound_to, BindTo::kCore);
    EXPECT_EQ(place_alone(machine, job_of(2, 1), BindTo::kNone).why_not, "--bind-to none");
}

TEST(Placement, APeGetsAllHardwareThreadsOfItsCore) {
    const Topology machine = machine_of("pack:1 core:2 pu:2(indexes=0,2,1,3)");
    EXPECT_EQ(place_alone(machine, job_of(2, 1)).cpus_of_rank, (std::vector<Cpus>{{0, 2}, {1, 3}}));
    EXPECT_EQ(place_alone(machine, job_of(3, 1)).bound_to, BindTo::kNone) << "a hardware thread is no core";
}

TEST(Placement, KeepsWithinTheMask) {
    // Both threads of core 1, one of core 4, one of core 9.
    const Topology machine = machine_of(two_sockets, Cpus{2, 3, 8, 19});
    const Placement three = place_alone(machine, job_of(3, 1));
    EXPECT_EQ(three.cpus_of_rank, (std::vector<Cpus>{{2, 3}, {8}, {19}}));
    EXPECT_EQ(machine.cores[1].number, 4u);
    EXPECT_EQ(machine.cores[2].first_cpu, 18u) << "a core has one name, whichever of its threads may be used";
    EXPECT_EQ(machine.cpus_of_machine, 32u);
    EXPECT_EQ(place_alone(machine, job_of(4, 1)).why_not, "4 PEs need 4 cores, and this process may use 3");
    EXPECT_EQ(place_alone(machine, job_of(2, 1), BindTo::kSocket).cpus_of_rank,
              (std::vector<Cpus>{{2, 3, 8}, {2, 3, 8}}));
}

TEST(Placement, MachinesThatDoNotTellCores) {
    const Topology machine = machine_of("numa:1 pu:3");
    EXPECT_EQ(place_alone(machine, job_of(3, 1)).cpus_of_rank, (std::vector<Cpus>{{0}, {1}, {2}}));
    EXPECT_NE(refusal_of([] { place_alone(Topology(), job_of(2, 1), BindTo::kSocket); }), "");
}

TEST(Placement, NodesStayOnOneSocketWhereTheyFit) {
    const Topology machine = machine_of(two_sockets);
    for (const JobShape& job :
         {job_of(16, 4), job_of(16, 4, "cyclic"), job_of(16, 2), job_of(12, 2),
          job_of(16, 3, "0,0,1,1,1,1,1,1,1,2,2,2,2,2,2,2"), job_of(10, 4, "0,0,0,1,1,2,2,3,3,3")}) {
        const Placement placement = place_alone(machine, job);
        ASSERT_EQ(placement.bound_to, BindTo::kCore);
        for (uint32_t node = 0; node < job.map.nodes(); node++) {
            const bool fits = job.map.ports_of(node) != 2 || job.map.ranks() != 16;  // the two nodes of 7 leave 1 and 1
            EXPECT_EQ(sockets_of(machine, job, placement, node).size(), fits ? 1u : 2u) << "node " << node;
        }
    }
    const JobShape large = job_of(12, 1);
    EXPECT_EQ(sockets_of(machine, large, place_alone(machine, large), 0).size(), 2u);
}

TEST(Placement, AgentsHaveCoresOfTheirOwnBesideTheirPes) {
    const Topology machine = machine_of(two_sockets);
    const JobShape job = udp_job_of(14, 2);
    const Placement placement = place_alone(machine, job);
    ASSERT_EQ(placement.bound_to, BindTo::kCore);
    EXPECT_EQ(placement.cores_to_claim.size(), 16u);
    EXPECT_EQ(placement.of_daemon(0), (Cpus{14, 15})) << "node 0 has socket 0";
    EXPECT_EQ(placement.of_daemon(1), (Cpus{30, 31}));
    EXPECT_EQ(place_alone(machine, udp_job_of(15, 2)).why_not,
              "15 PEs and 2 agents need 17 cores, and this process may use 16");
    EXPECT_EQ(place_alone(machine, udp_job_of(15, 2), BindTo::kCore).of_daemon(0), (Cpus{30, 31}))
        << "the agents share the core that is left";
}

TEST(Placement, PesKeepOffTheCpuThatTheUserGivesToAgents) {
    const Topology machine = machine_of(two_sockets);
    JobShape job = udp_job_of(15, 2);
    job.agent_cpu = 5;  // the second thread of core 2
    const Placement placement = place_alone(machine, job);
    ASSERT_EQ(placement.bound_to, BindTo::kCore);
    EXPECT_EQ(std::ranges::count(placement.core_of_rank, 2u), 0);
    EXPECT_EQ(placement.cores_to_claim.size(), 16u) << "other jobs keep off it, too";
    JobShape full = udp_job_of(16, 2);
    full.agent_cpu = 5;
    EXPECT_EQ(place_alone(machine, full).why_not,
              "16 PEs need 16 cores, and this process may use 16, of which other jobs and agents have 1");
    JobShape resident = udp_job_of(2, 1);
    resident.resident_daemons = true;
    EXPECT_NE(place_alone(machine, resident).why_not.find("resident daemon"), std::string::npos);
    resident.has_agents = false;
    EXPECT_EQ(place_alone(machine, resident).bound_to, BindTo::kCore);
    EXPECT_EQ(place_alone(machine, resident).of_daemon(0), Cpus{});
}

TEST(Placement, DaemonsRunOnCoresThatAreLeft) {
    const Topology machine = machine_of("pack:1 core:4 pu:1");
    const Placement placement = place(machine, others_with(machine, {3}), job_of(2, 2), BindTo::kDefault);
    EXPECT_EQ(placement.of_daemon(0), Cpus{2});
    EXPECT_EQ(placement.of_daemon(1), Cpus{2});
    EXPECT_EQ(placement.cores_to_claim, (std::vector<size_t>{0, 1})) << "they sleep, and claim nothing";
}

TEST(Placement, DaemonsStayNearTheMemoryOfTheirPes) {
    const Topology machine = machine_of(two_sockets);
    const Placement full = place_alone(machine, job_of(8, 1));
    EXPECT_EQ(full.of_daemon(0).size(), 16u);
    EXPECT_EQ(full.of_daemon(0).back(), 15u) << "all of socket 0, although socket 1 is free";
    const Placement two = place_alone(machine, job_of(13, 2, "0,0,0,0,0,0,0,1,1,1,1,1,1"));
    EXPECT_EQ(two.of_daemon(0), (Cpus{14, 15}));
    EXPECT_EQ(two.of_daemon(1), (Cpus{28, 29, 30, 31}));
}

TEST(Placement, CoresOfOtherJobsComeLast) {
    const Topology machine = machine_of(two_sockets);
    const Others others = others_with(machine, {0, 1, 2, 3, 4, 5});
    const JobShape job = job_of(4, 1);
    const Placement four = place(machine, others, job, BindTo::kDefault);
    EXPECT_EQ(four.core_of_rank, (std::vector<size_t>{8, 9, 10, 11})) << "the other socket has four free cores";
    EXPECT_EQ(place(machine, others, job_of(11, 1), BindTo::kDefault).why_not,
              "11 PEs need 11 cores, and this process may use 16, of which other jobs and agents have 6");
    const Placement asked = place(machine, others, job_of(12, 1), BindTo::kCore);
    EXPECT_EQ(asked.on_claimed_cores, 2u);
    EXPECT_EQ(asked.cores_to_claim.size(), 10u);
    EXPECT_EQ(place(machine, others, job_of(10, 1), BindTo::kCore).on_claimed_cores, 0u);
}

TEST(Placement, MorePesThanCores) {
    const Topology machine = machine_of(two_sockets);
    EXPECT_EQ(
        refusal_of([&] { place_alone(machine, job_of(17, 1), BindTo::kCore); }),
        "--bind-to core: 17 PEs need a core each, and this process may use 16 cores; with --bind-to none PEs share "
        "cores");
    const JobShape job = job_of(40, 2);
    const Placement placement = place_alone(machine, job, BindTo::kSocket);
    EXPECT_EQ(sockets_of(machine, job, placement, 0), std::set<uint32_t>{0});
    EXPECT_EQ(sockets_of(machine, job, placement, 1), std::set<uint32_t>{1});
    EXPECT_EQ(placement.cpus_of_rank[0].size(), 16u);
    EXPECT_EQ(placement.cpus_of_rank[39].front(), 16u);
}

// A machine and a job that one seed draws.
struct Drawn {
    explicit Drawn(uint32_t seed) : random(seed) {
        machine = machine_of("pack:" + number(1, 4) + " core:" + number(1, 8) + " pu:" + number(1, 2));
        others.claimed.resize(machine.cores.size());
        for (size_t core = 0; core < machine.cores.size(); core++) {
            others.claimed[core] = random() % 4 == 0;
        }
        const uint32_t ranks = 2 + random() % 12;
        job = job_of(ranks, 1 + random() % ranks, random() % 2 == 0 ? "block" : "cyclic");
        job.has_agents = random() % 2 == 0;
        job.agent_cpu = random() % 3 == 0 ? 0 : -1;
    }
    bool has_placed_agents() const { return job.has_agents && job.agent_cpu < 0; }
    std::string number(uint32_t least, uint32_t most) { return std::to_string(least + random() % (most - least + 1)); }

    std::mt19937 random;
    Topology machine;
    Others others;
    JobShape job;
};

void expect_apart(const Drawn& drawn, const Placement& placement) {
    std::set<uint32_t> of_pes;
    for (uint32_t rank = 0; rank < drawn.job.map.ranks(); rank++) {
        EXPECT_FALSE(drawn.others.claimed[placement.core_of_rank[rank]]) << "another job has the core of PE " << rank;
        for (const uint32_t cpu : placement.cpus_of_rank[rank]) {
            EXPECT_TRUE(of_pes.insert(cpu).second) << "two PEs have CPU " << cpu;
        }
    }
    for (uint32_t node = 0; node < drawn.job.map.nodes(); node++) {
        EXPECT_FALSE(placement.of_daemon(node).empty());
        for (const uint32_t cpu : drawn.has_placed_agents() ? placement.of_daemon(node) : Cpus()) {
            EXPECT_FALSE(of_pes.contains(cpu)) << "a PE has CPU " << cpu << ", and so has an agent";
        }
    }
    EXPECT_TRUE(!drawn.job.has_agents || drawn.job.agent_cpu != 0 || !of_pes.contains(0));
    EXPECT_EQ(placement.on_claimed_cores, 0u);
}

TEST(Placement, TheDefaultKeepsPesAndAgentsApart) {
    int bound = 0;
    for (uint32_t seed = 1; seed <= 300 && !HasFailure(); seed++) {
        SCOPED_TRACE(seed);
        const Drawn drawn(seed);
        const Placement placement = place(drawn.machine, drawn.others, drawn.job, BindTo::kDefault);
        if (placement.bound_to == BindTo::kNone) {
            EXPECT_NE(placement.why_not, "");
            continue;
        }
        bound++;
        expect_apart(drawn, placement);
    }
    EXPECT_GT(bound, 30);
    EXPECT_LT(bound, 285);
}

}  // namespace
}  // namespace syncline
