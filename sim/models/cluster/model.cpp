// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/cluster/model.h"

#include "base/failure.h"
#include "sim/models/cluster/workloads.h"

namespace syncline::sim {

namespace {

constexpr const char* workload_names[] = {"barrier", "fence", "lock", "atomics"};
constexpr const char* fence_names[] = {"acknowledged", "counts", "linear"};
constexpr const char* lock_names[] = {"mcs", "hybrid"};
constexpr uint64_t nodes_most = 1 << 24;

}  // namespace

void ClusterParameters::visit(Visitor* visitor) {
    visitor->choice("workload.kind", &workload, workload_names, "what is measured");
    visitor->choice("workload.executor", &executor, executor_names, "who executes what arrives");
    visitor->count("workload.nodes", &nodes, 2, nodes_most, "nodes, with a process each");
    visitor->count("workload.repeats", &repeats, 1, 1'000'000, "of each process, one after the other");
    visitor->count("workload.dimension", &dimension, 0, 64, "of the barrier's tree; 0: pairwise exchange");
    visitor->choice("workload.fence", &fence, fence_names, "how a process knows that all has arrived");
    visitor->choice("workload.fence_barrier", &fence_barrier, executor_names, "who runs the barrier behind a fence");
    visitor->flag("workload.halve_counts", &halve_counts, "does a phase carry the counts of half as many nodes?");
    visitor->choice("workload.lock", &lock, lock_names, "which lock");
    visitor->count("workload.contenders", &contenders, 0, nodes_most, "for the lock; 0: all nodes have one");
    visitor->flag("workload.home_contends", &home_contends, "is there a process at the lock's home?");
    visitor->count("workload.outstanding", &outstanding, 1, 1'000'000, "atomic operations of a process at once");
    visitor->cost("host.send_ns", &send_ns, "to hand something to the NIC");
    visitor->cost("host.receive_ns", &receive_ns, "of a process that polls, to take something from the NIC");
    visitor->cost("host.local_ns", &local_ns, "to read or write a word of the own node");
    visitor->cost("server.execute_ns", &server_ns, "of a host's server, to take a request and execute it");
    visitor->number("server.spin_ns", &server_spin_ns, 0, 1e15, "that it polls before it blocks");
    visitor->cost("server.wake_ns", &wake_ns, "to wake one that has blocked");
    visitor->flag("server.apart", &server_apart, "does it have a CPU of its own?");
    visitor->cost("nic.token_ns", &token_ns, "to find that its host wants something");
    visitor->cost("nic.finish_ns", &finish_ns, "to tell its host that something is complete");
    visitor->cost("nic.fetch_ns", &fetch_ns, "to fetch a message of its host");
    visitor->cost("nic.send_ns", &nic_send_ns, "to send it");
    visitor->cost("nic.deliver_ns", &deliver_ns, "to take a message in and bring it to its host");
    visitor->cost("nic.make_ns", &make_ns, "to send a message that it makes itself");
    visitor->cost("nic.execute_ns", &execute_ns, "to take a message in and execute it");
    visitor->cost("bus.latency_ns", &bus_ns,
                  "of a transfer between host and NIC, one at a time; it keeps neither busy");
    visitor->count("bus.atomic_transfers", &atomic_transfers, 0, 10, "that what the NIC executes waits for");
    visitor->cost("network.wire_ns", &wire_ns, "from NIC to NIC");
    visitor->number("network.bandwidth_gbps", &gigabytes_per_s, 1e-3, 1e5, "gigabytes per second of a link");
    visitor->count("network.packet_bytes", &packet_bytes, 0, 65536, "of a small packet");
    visitor->count("machine.cpus", &cpus, 0, 4096, "that all nodes share; 0: each has its own");
    visitor->cost("machine.switch_ns", &switch_ns, "to schedule a process, where several share a CPU");
}

void ClusterParameters::check() const {
    if (dimension >= nodes) {
        fail(SYNCLINE_ERR_INVALID, "a tree of {} nodes has no node with {} children", nodes, dimension);
    }
    if (contenders + (home_contends ? 0 : 1) > nodes) {
        fail(SYNCLINE_ERR_INVALID, "{} nodes have no room for {} contenders and a home apart", nodes, contenders);
    }
    if (workload == ClusterWorkload::kLock && lock == LockAlgorithm::kHybrid && executor == Executor::kNic) {
        fail(SYNCLINE_ERR_INVALID, "the hybrid lock is its server's: workload.executor = \"host\"");
    }
}

Results run_cluster(const ClusterParameters& parameters) {
    parameters.check();
    switch (parameters.workload) {
        case ClusterWorkload::kBarrier:
            return run_cluster_barrier(parameters);
        case ClusterWorkload::kFence:
            return run_cluster_fence(parameters);
        case ClusterWorkload::kLock:
            return run_cluster_lock(parameters);
        case ClusterWorkload::kAtomics:
            break;
    }
    return run_cluster_atomics(parameters);
}

Results ClusterModel::run() const {
    return run_cluster(parameters_);
}

}  // namespace syncline::sim
