// SPDX-License-Identifier: BSD-3-Clause
// A model of a cluster whose smallest unit is a message: the cost of each step of a message is a parameter, and nothing
// inside a step is simulated. So it can simulate millions of nodes. The cluster of Buntinas 2003 is such a model, and
// so are live systems after calibration (sim/experiments/calibrate.h).
//
// A node has a process, a server that executes arriving requests if the NIC does not, a NIC and a link; each does one
// thing after the other, in the order of arrival. On a test bed in which all nodes share the CPUs of one machine,
// `machine.cpus` is the number of these CPUs: they then do all the work, also the NICs'.
#pragma once

#include "sim/kernel/executed_by.h"
#include "sim/kernel/results.h"
#include "sim/kernel/settings.h"

namespace syncline::sim::cluster {

enum class WorkloadKind { kBarrier, kFence, kLock, kAtomics };
enum class FenceAlgorithm { kAcknowledged, kCounts, kLinear };
enum class LockAlgorithm { kMcs, kHybrid };

struct WorkloadParameters {
    WorkloadKind kind = WorkloadKind::kBarrier;
    ExecutedBy executed_by = ExecutedBy::kNic;
    uint64_t nodes = 16;
    uint64_t repeats = 100;
    uint64_t dimension = 0;  // dimension of the barrier's tree; 0: pairwise exchange
    FenceAlgorithm fence = FenceAlgorithm::kCounts;
    ExecutedBy fence_barrier = ExecutedBy::kHost;  // runs the barrier after the fence
    bool halve_counts = false;                     // a phase of `counts` carries only what its half of the nodes needs
    LockAlgorithm lock = LockAlgorithm::kMcs;
    uint64_t contenders = 0;  // number of contenders for the lock; 0: a process of every node
    bool home_contends = true;
    uint64_t outstanding = 1;
};

struct HostParameters {
    double send_ns = 1000;
    double receive_ns = 1000;
    double local_ns = 100;
};

struct ServerParameters {
    double execute_ns = 1000;
    double spin_ns = 1e12;
    double wake_ns = 20'000;
    bool apart = true;
};

struct NicParameters {
    double token_ns = 0;
    double finish_ns = 0;
    double fetch_ns = 0;
    double send_ns = 500;
    double deliver_ns = 500;
    double make_ns = 500;
    double execute_ns = 500;
};

struct BusParameters {
    double latency_ns = 0;
    uint64_t atomic_transfers = 0;
};

struct NetworkParameters {
    double wire_ns = 1000;
    double bandwidth_gbps = 1;
    uint64_t packet_bytes = 64;
};

struct MachineParameters {
    uint64_t cpus = 0;
    double switch_ns = 0;
};

struct Parameters {
    WorkloadParameters workload;
    HostParameters host;
    ServerParameters server;
    NicParameters nic;
    BusParameters bus;
    NetworkParameters network;
    MachineParameters machine;

    void visit(Visitor* visitor);
    void check() const;
};

// The results of each workload:
// barrier, fence  latency_us of one, messages of each, right
// lock            both_us, acquire_us, release_us: time that a process spends on a section; section_us: the whole time
//                 divided by the number of sections; messages of each, right
// atomics         latency_us, rate_mops, right
// `right` is false if a node left a barrier or a fence before all had entered it, if two processes held a lock or one
// held it twice, or if memory does not have the expected contents.
//
// Throws Failure if no cluster can have these parameters.
Results run(const Parameters& parameters);

}  // namespace syncline::sim::cluster
