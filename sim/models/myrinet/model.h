// SPDX-License-Identifier: BSD-3-Clause
// Myrinet with a LANai processor on each NIC (Buntinas 2002 and 2001). This processor runs the four state machines of
// the control program. Each step has a cost in cycles, and this project's firmware does its work, on this project's
// packets.
//
//   SDMA   finds a message that the host has handed over, and fetches it
//   SEND   puts a packet on the wire
//   RECV   receives a packet
//   RDMA   brings a message to the host
//
// The firmware runs on the NIC or, for the papers' host-based baselines, on the host after all four steps.
#pragma once

#include "sim/kernel/executed_by.h"
#include "sim/kernel/results.h"
#include "sim/kernel/settings.h"

namespace syncline::sim::myrinet {

enum class WorkloadKind { kBarrier, kCompareSwap, kLock, kCounter, kBandwidth };
enum class ServerWait { kPoll, kSpinBlock, kBlock };

struct WorkloadParameters {
    WorkloadKind kind = WorkloadKind::kBarrier;
    ExecutedBy executed_by = ExecutedBy::kNic;
    ServerWait wait = ServerWait::kPoll;
    uint64_t nodes = 16;
    uint64_t dimension = 0;  // dimension of the barrier's tree; 0: pairwise exchange
    uint64_t repeats = 100;
    bool disturb = true;           // counter, bandwidth: node 1 locks and unlocks
    double delay_ns = 0;           // pause of the node that locks and unlocks, after each of the two
    double window_ns = 1'000'000;  // time in which the counter counts
    double iteration_ns = 100;     // time of one turn of the counter's loop
    uint64_t message_bytes = 16384;
    uint64_t tokens = 2;  // messages that a stream has handed to its NIC at a time
};

struct LanaiParameters {
    double clock_mhz = 33;
    uint64_t token_cycles = 140;   // for SDMA to find a token without data
    uint64_t finish_cycles = 140;  // for RDMA to tell the host
    uint64_t sdma_cycles = 300;    // for a message of the host
    uint64_t send_cycles = 200;
    uint64_t receive_cycles = 214;
    uint64_t rdma_cycles = 300;
    uint64_t nic_send_cycles = 230;     // for a message that the NIC makes itself
    uint64_t nic_receive_cycles = 397;  // for a message that the NIC executes
    uint64_t atomic_dma_transfers = 1;  // number of transfers that an atomic operation waits for
};

struct HostParameters {
    double send_ns = 4000;
    double receive_ns = 4000;
    double dma_ns = 2750;
    double interrupt_ns = 44'000;  // time to wake a server that has blocked
    double spin_ns = 50'000;       // time for which a server spins before it blocks
    double spin_check_ns = 0;      // time that spinning costs for each message
    uint64_t cpus = 2;             // number of a host's CPUs, for its main thread and its server
    double bus_gbps = 0.133;       // bandwidth for the data of a message, in gigabytes per second
};

struct NetworkParameters {
    double link_gbps = 0.16;
    uint64_t packet_bytes = 4096;
    double wire_ns = 1000;
};

struct Parameters {
    WorkloadParameters workload;
    LanaiParameters lanai;
    HostParameters host;
    NetworkParameters network;

    void visit(Visitor* visitor);
    void check() const;
};

// Throws Failure if no machine can have these parameters.
Results run(const Parameters& parameters);

}  // namespace syncline::sim::myrinet
