// SPDX-License-Identifier: BSD-3-Clause
// A cluster, a message at a time: what each step of a message costs is a parameter, and nothing inside a step is
// simulated. So it has room for millions of nodes. The cluster of paper 001 is one of these, and so are live systems
// once they have been calibrated (sim/calibrate.h).
//
// A node has a process, a server that executes what arrives if the NIC does not, a NIC and a link; each does one thing
// after the other, in the order in which it arrives. On a test bed in which all nodes share the CPUs of one machine,
// `machine.cpus` says how many these are: they do all the work then, that of the NICs too.
#pragma once

#include "sim/kernel/executor.h"
#include "sim/kernel/model.h"

namespace syncline::sim {

enum class ClusterWorkload { kBarrier, kFence, kLock, kAtomics };
enum class FenceAlgorithm { kAcknowledged, kCounts, kLinear };
enum class LockAlgorithm { kMcs, kHybrid };

struct ClusterParameters {
    ClusterWorkload workload = ClusterWorkload::kBarrier;
    Executor executor = Executor::kNic;
    uint64_t nodes = 16;
    uint64_t repeats = 100;
    uint64_t dimension = 0;  // of the barrier's tree; 0: pairwise exchange
    FenceAlgorithm fence = FenceAlgorithm::kCounts;
    Executor fence_barrier = Executor::kHost;  // who runs the barrier behind it
    bool halve_counts = false;                 // a phase of `counts` has only what its half of the nodes needs
    LockAlgorithm lock = LockAlgorithm::kMcs;
    uint64_t contenders = 0;  // for the lock; 0: a process of every node
    bool home_contends = true;
    uint64_t outstanding = 1;
    double send_ns = 1000;
    double receive_ns = 1000;
    double local_ns = 100;
    double server_ns = 1000;
    double server_spin_ns = 1e12;
    double wake_ns = 20'000;
    bool server_apart = true;
    double token_ns = 0;
    double finish_ns = 0;
    double fetch_ns = 0;
    double nic_send_ns = 500;
    double deliver_ns = 500;
    double make_ns = 500;
    double execute_ns = 500;
    double bus_ns = 0;
    uint64_t atomic_transfers = 0;
    double wire_ns = 1000;
    double gigabytes_per_s = 1;
    uint64_t packet_bytes = 64;
    uint64_t cpus = 0;
    double switch_ns = 0;

    void visit(Visitor* visitor);
    void check() const;
};

// The results of each workload:
// barrier, fence  latency_us of one, messages of each, right
// lock            both_us, acquire_us, release_us: what a process spends on a section; section_us: the whole time by
//                 the number of sections; messages of each, right
// atomics         latency_us, rate_mops, right
// `right` is false if somebody left a barrier or a fence before all had come, if two held a lock or one twice, or if
// memory does not have what it must have.
class ClusterModel final : public Model {
  public:
    void visit(Visitor* visitor) override { parameters_.visit(visitor); }
    Results run() const override;

  private:
    ClusterParameters parameters_;
};

// Throws Failure if there can be no such cluster.
Results run_cluster(const ClusterParameters& parameters);

}  // namespace syncline::sim
