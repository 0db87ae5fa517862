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
    visitor->choice("workload.kind", &workload.kind, workload_names, "operation that is measured");
    visitor->choice("workload.executor", &workload.executed_by, executed_by_names,
                    "whether NIC or host executes the messages that arrive");
    visitor->count("workload.nodes", &workload.nodes, 2, nodes_most, "nodes, each with one process");
    visitor->count("workload.repeats", &workload.repeats, 1, 1'000'000, "repeats of each process, one after the other");
    visitor->count("workload.dimension", &workload.dimension, 0, 64,
                   "dimension of the barrier's tree; 0: pairwise exchange");
    visitor->choice("workload.fence", &workload.fence, fence_names, "how a process knows that all writes have arrived");
    visitor->choice("workload.fence_barrier", &workload.fence_barrier, executed_by_names,
                    "whether NIC or host runs the barrier after a fence");
    visitor->flag("workload.halve_counts", &workload.halve_counts,
                  "whether a phase carries the counts of half as many nodes");
    visitor->choice("workload.lock", &workload.lock, lock_names, "kind of lock");
    visitor->count("workload.contenders", &workload.contenders, 0, nodes_most,
                   "contenders for the lock; 0: one on every node");
    visitor->flag("workload.home_contends", &workload.home_contends, "whether a process at the lock's home contends");
    visitor->count("workload.outstanding", &workload.outstanding, 1, 1'000'000,
                   "outstanding atomic operations of a process, at most");
    visitor->cost("host.send_ns", &host.send_ns, "time to hand something to the NIC");
    visitor->cost("host.receive_ns", &host.receive_ns, "time for a process that polls to take something from the NIC");
    visitor->cost("host.local_ns", &host.local_ns, "time to read or write a word of the process's own node");
    visitor->cost("server.execute_ns", &server.execute_ns, "time for a host's server to take a request and execute it");
    visitor->number("server.spin_ns", &server.spin_ns, 0, 1e15, "time for which a server polls before it blocks");
    visitor->cost("server.wake_ns", &server.wake_ns, "time to wake a server that has blocked");
    visitor->flag("server.apart", &server.apart, "whether a server has a CPU of its own");
    visitor->cost("nic.token_ns", &nic.token_ns, "time for a NIC to find that its host wants something");
    visitor->cost("nic.finish_ns", &nic.finish_ns, "time for a NIC to tell its host that something is complete");
    visitor->cost("nic.fetch_ns", &nic.fetch_ns, "time to fetch a message of its host");
    visitor->cost("nic.send_ns", &nic.send_ns, "time to send this message");
    visitor->cost("nic.deliver_ns", &nic.deliver_ns, "time to receive a message and bring it to its host");
    visitor->cost("nic.make_ns", &nic.make_ns, "time to send a message that the NIC makes itself");
    visitor->cost("nic.execute_ns", &nic.execute_ns, "time to receive a message and execute it");
    visitor->cost("bus.latency_ns", &bus.latency_ns,
                  "time of a transfer between host and NIC, one at a time; it keeps neither busy");
    visitor->count("bus.atomic_transfers", &bus.atomic_transfers, 0, 10,
                   "transfers that an operation of the NIC waits for");
    visitor->cost("network.wire_ns", &network.wire_ns, "time from NIC to NIC");
    visitor->number("network.bandwidth_gbps", &network.bandwidth_gbps, 1e-3, 1e5,
                    "bandwidth of a link in gigabytes per second");
    visitor->count("network.packet_bytes", &network.packet_bytes, 0, 65536, "bytes of a small packet");
    visitor->count("machine.cpus", &machine.cpus, 0, 4096, "CPUs that all nodes share; 0: each node has its own");
    visitor->cost("machine.switch_ns", &machine.switch_ns, "time to schedule a process, where several share a CPU");
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
