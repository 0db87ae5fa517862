// SPDX-License-Identifier: BSD-3-Clause
#include "launch/binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/failure.h"
#include "base/leading_number.h"

namespace syncline {
namespace {

constexpr int claim_attempts = 8;  // other launchers may claim cores between the look and the claim

uint32_t count_cpus(const Topology& topology) {
    size_t cpus = 0;
    for (const Core& core : topology.cores) {
        cpus += core.cpus.size();
    }
    return static_cast<uint32_t>(cpus);
}

Others others_on(const Topology& topology) {
    if (!topology.is_this_machine) {
        return {std::vector<bool>(topology.cores.size()), true};
    }
    const bool leaves_out_cpus = count_cpus(topology) < topology.cpus_of_machine;
    return {CoreClaims::claimed(topology), CoreClaims::are_seen_by_all() || leaves_out_cpus};
}

// The default does without a topology that cannot be read.
Binding unbound(std::string why) {
    Binding binding;
    binding.placement.why_not = std::move(why);
    return binding;
}

Binding plan_binding(const JobShape& job, BindTo bind_to) {
    if (bind_to == BindTo::kNone) {
        return unbound("--bind-to none");
    }
    // Reading the topology takes some milliseconds of the job's start.
    if (const std::string why = why_on_no_machine(job); bind_to == BindTo::kDefault && !why.empty()) {
        return unbound(why);
    }
    Binding binding;
    try {
        binding.topology = read_topology();
    } catch (const Failure& failure) {
        if (bind_to != BindTo::kDefault) {
            throw;
        }
        return unbound(failure.what());
    }
    binding.placement = place(binding.topology, others_on(binding.topology), job, bind_to);
    return binding;
}

std::string place_of(const Binding& binding, size_t rank) {
    const Core& core = binding.topology.cores[binding.placement.core_of_rank[rank]];
    const std::string cpus = format_cpus(binding.placement.cpus_of_rank[rank]);
    return binding.placement.bound_to == BindTo::kSocket
               ? fmt::format("socket {}, CPUs {}", core.socket, cpus)
               : fmt::format("socket {}, core {}, CPUs {}", core.socket, core.number, cpus);
}

}  // namespace

Binding preview_binding(const JobShape& job, BindTo bind_to) {
    return plan_binding(job, bind_to);
}

// A preview may be of another machine, whose CPUs this one lacks.
Binding bind_job(const JobShape& job, BindTo bind_to) {
    Binding binding = plan_binding(job, bind_to);
    if (!binding.topology.is_this_machine) {
        const std::string why = "the environment has hwloc describe another machine (HWLOC_XMLFILE, HWLOC_SYNTHETIC)";
        if (bind_to != BindTo::kDefault) {
            fail(SYNCLINE_ERR_INVALID, "PEs cannot be bound: {}", why);
        }
        return unbound(why);
    }
    for (int attempt = 0; attempt < claim_attempts; attempt++) {
        if (std::optional<CoreClaims> claims = CoreClaims::claim(binding.topology, binding.placement.cores_to_claim)) {
            binding.claims = *std::move(claims);
            return binding;
        }
        binding.placement = place(binding.topology, others_on(binding.topology), job, bind_to);
    }
    return bind_to == BindTo::kDefault ? unbound("other jobs claim the cores first") : std::move(binding);
}

std::vector<std::string> describe(const Binding& binding, const RankMap& map) {
    const Placement& placement = binding.placement;
    if (placement.bound_to == BindTo::kNone) {
        return {fmt::format("PEs are not bound: {}", placement.why_not)};
    }
    std::vector<std::string> lines;
    for (uint32_t rank = 0; rank < map.ranks(); rank++) {
        lines.push_back(fmt::format("PE {} on node {}: {}", rank, map.node_of(rank), place_of(binding, rank)));
    }
    for (uint32_t node = 0; node < map.nodes(); node++) {
        if (const Cpus cpus = placement.of_daemon(node); !cpus.empty()) {
            lines.push_back(fmt::format("the daemon of node {}: CPUs {}", node, format_cpus(cpus)));
        }
    }
    return lines;
}

long threads_of_pe(const std::vector<std::string>& settings) {
    const std::string name = "OMP_NUM_THREADS";
    const char* const here = std::getenv(name.c_str());
    long most = here != nullptr ? leading_number(here) : 1;
    for (const std::string& setting : settings) {
        if (setting.starts_with(name + "=")) {
            most = std::max(most, leading_number(setting.c_str() + name.size() + 1));
        }
    }
    return most;
}

}  // namespace syncline
