// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/myrinet/model.h"

#include "base/failure.h"
#include "sim/models/myrinet/workloads.h"

namespace syncline::sim::myrinet {

namespace {
constexpr const char* workload_names[] = {"barrier", "compare-swap", "lock", "counter", "bandwidth"};

constexpr const char* wait_names[] = {"poll", "spin-block", "block"};
}  // namespace

void Parameters::visit(Visitor* visitor) {
    visitor->choice("workload.kind", &workload.kind, workload_names, "what is measured");
    visitor->choice("workload.executor", &workload.executed_by, executed_by_names, "who runs the firmware");
    visitor->choice("workload.wait", &workload.wait, wait_names, "how a host's server waits for requests");
    visitor->count("workload.nodes", &workload.nodes, 2, 1024, "nodes");
    visitor->count("workload.dimension", &workload.dimension, 0, 64, "of the barrier's tree; 0: pairwise exchange");
    visitor->count("workload.repeats", &workload.repeats, 1, 1'000'000, "of what is measured, one after the other");
    visitor->flag("workload.disturb", &workload.disturb, "counter, bandwidth: node 1 locks and unlocks meanwhile");
    visitor->number("workload.delay_ns", &workload.delay_ns, 0, 1e9,
                    "of the node that locks and unlocks: after each of the two");
    visitor->number("workload.window_ns", &workload.window_ns, 1, 1e9, "in which the counter counts");
    visitor->number("workload.iteration_ns", &workload.iteration_ns, 1, 1e9, "of the counter's loop");
    visitor->count("workload.message_bytes", &workload.message_bytes, 1, 1 << 30, "of the stream's messages");
    visitor->count("workload.tokens", &workload.tokens, 1, 1000, "messages of the stream handed over at a time");
    visitor->number("lanai.clock_mhz", &lanai.clock_mhz, 1, 10'000, "of the NIC's processor");
    visitor->count("lanai.token_cycles", &lanai.token_cycles, 0, 1'000'000, "SDMA: to find a barrier's token");
    visitor->count("lanai.finish_cycles", &lanai.finish_cycles, 0, 1'000'000,
                   "RDMA: to tell the host that it is complete");
    visitor->count("lanai.sdma_cycles", &lanai.sdma_cycles, 0, 1'000'000, "SDMA: for a message of the host");
    visitor->count("lanai.send_cycles", &lanai.send_cycles, 0, 1'000'000, "SEND: for a message of the host");
    visitor->count("lanai.receive_cycles", &lanai.receive_cycles, 0, 1'000'000, "RECV: for a message to the host");
    visitor->count("lanai.rdma_cycles", &lanai.rdma_cycles, 0, 1'000'000, "RDMA: for a message to the host");
    visitor->count("lanai.nic_send_cycles", &lanai.nic_send_cycles, 0, 1'000'000, "for a message that the NIC makes");
    visitor->count("lanai.nic_receive_cycles", &lanai.nic_receive_cycles, 0, 1'000'000, "for one that it executes");
    visitor->count("lanai.atomic_dma_transfers", &lanai.atomic_dma_transfers, 0, 10,
                   "that an atomic operation waits for");
    visitor->number("host.send_ns", &host.send_ns, 0, 1e7, "to hand something to the NIC");
    visitor->number("host.receive_ns", &host.receive_ns, 0, 1e7, "to take something from the NIC");
    visitor->number("host.dma_ns", &host.dma_ns, 0, 1e7, "of a transfer between host and NIC");
    visitor->number("host.interrupt_ns", &host.interrupt_ns, 0, 1e9, "to wake a server that has blocked");
    visitor->number("host.spin_ns", &host.spin_ns, 0, 1e9, "that a server spins before it blocks");
    visitor->number("host.spin_check_ns", &host.spin_check_ns, 0, 1e7, "that spinning costs for each message");
    visitor->count("host.cpus", &host.cpus, 1, 2, "for the main thread and the server");
    visitor->number("host.bus_gbps", &host.bus_gbps, 0.001, 1000, "GB/s between host and NIC");
    visitor->number("network.link_gbps", &network.link_gbps, 0.001, 1000, "GB/s of a link");
    visitor->count("network.packet_bytes", &network.packet_bytes, 64, 1 << 20, "of a message, in one packet");
    visitor->number("network.wire_ns", &network.wire_ns, 0, 1e7, "of a small packet, switch included");
}

void Parameters::check() const {
    if (workload.dimension >= workload.nodes) {
        fail(SYNCLINE_ERR_INVALID, "a tree of {} nodes has no node with {} children", workload.nodes,
             workload.dimension);
    }
    const bool main_thread = workload.kind != WorkloadKind::kBarrier && workload.kind != WorkloadKind::kCompareSwap;
    if (main_thread && workload.executed_by == ExecutedBy::kHost && workload.wait == ServerWait::kPoll &&
        host.cpus == 1) {
        fail(SYNCLINE_ERR_INVALID, "a server that polls never leaves the only CPU to the main thread");
    }
    if (workload.kind == WorkloadKind::kBandwidth && workload.nodes < 3) {
        fail(SYNCLINE_ERR_INVALID, "a stream and a node that locks take 3 nodes");
    }
}

Results run(const Parameters& parameters) {
    parameters.check();
    switch (parameters.workload.kind) {
        case WorkloadKind::kBarrier:
            return run_barrier(parameters);
        case WorkloadKind::kCompareSwap:
            return run_compare_swap(parameters);
        case WorkloadKind::kLock:
            return run_lock(parameters);
        case WorkloadKind::kCounter:
            return run_counter(parameters);
        case WorkloadKind::kBandwidth:
            return run_bandwidth(parameters);
    }
    return {};
}

}  // namespace syncline::sim::myrinet
