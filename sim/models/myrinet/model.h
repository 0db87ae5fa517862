// SPDX-License-Identifier: BSD-3-Clause
// Myrinet with a LANai processor on each NIC (Buntinas 2002 and 2001): one processor that runs the four state machines
// of the control program, each step at a cost in cycles, and what they do is done by the firmware of this project, on
// its own packets.
//
//   SDMA   finds what the host has handed over and fetches it
//   SEND   puts a packet on the wire
//   RECV   takes a packet in
//   RDMA   brings something to the host
//
// That firmware runs on the NIC or, for the papers' host-based baselines, on the host behind all four steps.
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
    uint64_t dimension = 0;  // of the barrier's tree; 0: pairwise exchange
    uint64_t repeats = 100;
    bool disturb = true;           // counter, bandwidth: node 1 locks and unlocks
    double delay_ns = 0;           // of who locks and unlocks: after each of the two
    double window_ns = 1'000'000;  // in which the counter counts
    double iteration_ns = 100;     // of the counter's loop
    uint64_t message_bytes = 16384;
    uint64_t tokens = 2;  // messages that a stream has handed to its NIC at a time
};

struct LanaiParameters {
    double clock_mhz = 33;
    uint64_t token_cycles = 140;   // SDMA finds a token without data
    uint64_t finish_cycles = 140;  // RDMA tells the host
    uint64_t sdma_cycles = 300;    // of a message of the host
    uint64_t send_cycles = 200;
    uint64_t receive_cycles = 214;
    uint64_t rdma_cycles = 300;
    uint64_t nic_send_cycles = 230;     // of a message that the NIC makes itself
    uint64_t nic_receive_cycles = 397;  // and that it executes
    uint64_t atomic_dma_transfers = 1;  // that an atomic operation waits for
};

struct HostParameters {
    double send_ns = 4000;
    double receive_ns = 4000;
    double dma_ns = 2750;
    double interrupt_ns = 44'000;  // to wake a server that has blocked
    double spin_ns = 50'000;       // that a server spins before it blocks
    double spin_check_ns = 0;      // that spinning costs for each message
    uint64_t cpus = 2;             // of a host, for its main thread and its server
    double bus_gbps = 0.133;       // of the data of a message
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

// Throws Failure if there can be no such machine.
Results run(const Parameters& parameters);

}  // namespace syncline::sim::myrinet
