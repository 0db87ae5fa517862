// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/cluster/model.h"

#include "base/failure.h"
#include "sim/models/cluster/workloads.h"

namespace syncline::sim::cluster {

namespace {

constexpr const char* workload_names[] = {"barrier", "fence", "lock", "atomics"};
constexpr const char* fence_names[] = {"acknowledged", "counts", "linear"};
constexpr const char* lock_names[] = {"mcs", "hybrid"};
constexpr uint64_t nodes_most = 1 << 24;

}  // namespace

void Parameters::visit(Visitor* visitor) {
    visitor->choice("workload.kind", &workload.kind, workload_names, "what is measured");
    visitor->choice("workload.executor", &workload.executed_by, executed_by_names, "who executes what arrives");
    visitor->count("workload.nodes", &workload.nodes, 2, nodes_most, "nodes, with a process each");
    visitor->count("workload.repeats", &workload.repeats, 1, 1'000'000, "of each process, one after the other");
    visitor->count("workload.dimension", &workload.dimension, 0, 64, "of the barrier's tree; 0: pairwise exchange");
    visitor->choice("workload.fence", &workload.fence, fence_names, "how a process knows that all has arrived");
    visitor->choice("workload.fence_barrier", &workload.fence_barrier, executed_by_names,
                    "who runs the barrier behind a fence");
    visitor->flag("workload.halve_counts", &workload.halve_counts,
                  "does a phase carry the counts of half as many nodes?");
    visitor->choice("workload.lock", &workload.lock, lock_names, "which lock");
    visitor->count("workload.contenders", &workload.contenders, 0, nodes_most, "for the lock; 0: all nodes have one");
    visitor->flag("workload.home_contends", &workload.home_contends, "is there a process at the lock's home?");
    visitor->count("workload.outstanding", &workload.outstanding, 1, 1'000'000,
                   "atomic operations of a process at once");
    visitor->cost("host.send_ns", &host.send_ns, "to hand something to the NIC");
    visitor->cost("host.receive_ns", &host.receive_ns, "of a process that polls, to take something from the NIC");
    visitor->cost("host.local_ns", &host.local_ns, "to read or write a word of the own node");
    visitor->cost("server.execute_ns", &server.execute_ns, "of a host's server, to take a request and execute it");
    visitor->number("server.spin_ns", &server.spin_ns, 0, 1e15, "that it polls before it blocks");
    visitor->cost("server.wake_ns", &server.wake_ns, "to wake one that has blocked");
    visitor->flag("server.apart", &server.apart, "does it have a CPU of its own?");
    visitor->cost("nic.token_ns", &nic.token_ns, "to find that its host wants something");
    visitor->cost("nic.finish_ns", &nic.finish_ns, "to tell its host that something is complete");
    visitor->cost("nic.fetch_ns", &nic.fetch_ns, "to fetch a message of its host");
    visitor->cost("nic.send_ns", &nic.send_ns, "to send it");
    visitor->cost("nic.deliver_ns", &nic.deliver_ns, "to take a message in and bring it to its host");
    visitor->cost("nic.make_ns", &nic.make_ns, "to send a message that it makes itself");
    visitor->cost("nic.execute_ns", &nic.execute_ns, "to take a message in and execute it");
    visitor->cost("bus.latency_ns", &bus.latency_ns,
                  "of a transfer between host and NIC, one at a time; it keeps neither busy");
    visitor->count("bus.atomic_transfers", &bus.atomic_transfers, 0, 10, "that what the NIC executes waits for");
    visitor->cost("network.wire_ns", &network.wire_ns, "from NIC to NIC");
    visitor->number("network.bandwidth_gbps", &network.bandwidth_gbps, 1e-3, 1e5, "gigabytes per second of a link");
    visitor->count("network.packet_bytes", &network.packet_bytes, 0, 65536, "of a small packet");
    visitor->count("machine.cpus", &machine.cpus, 0, 4096, "that all nodes share; 0: each has its own");
    visitor->cost("machine.switch_ns", &machine.switch_ns, "to schedule a process, where several share a CPU");
}

void Parameters::check() const {
    if (workload.dimension >= workload.nodes) {
        fail(SYNCLINE_ERR_INVALID, "a tree of {} nodes has no node with {} children", workload.nodes,
             workload.dimension);
    }
    if (workload.contenders + (workload.home_contends ? 0 : 1) > workload.nodes) {
        fail(SYNCLINE_ERR_INVALID, "{} nodes have no room for {} contenders and a home apart", workload.nodes,
             workload.contenders);
    }
    if (workload.kind == WorkloadKind::kLock && workload.lock == LockAlgorithm::kHybrid &&
        workload.executed_by == ExecutedBy::kNic) {
        fail(SYNCLINE_ERR_INVALID, "the hybrid lock is its server's: workload.executor = \"host\"");
    }
}

Results run(const Parameters& parameters) {
    parameters.check();
    switch (parameters.workload.kind) {
        case WorkloadKind::kBarrier:
            return run_barrier(parameters);
        case WorkloadKind::kFence:
            return run_fence(parameters);
        case WorkloadKind::kLock:
            return run_lock(parameters);
        case WorkloadKind::kAtomics:
            break;
    }
    return run_atomics(parameters);
}

}  // namespace syncline::sim::cluster
