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
    visitor->choice("workload.kind", &workload.kind, workload_names, "operation that is measured");
    visitor->choice("workload.executor", &workload.executed_by, executed_by_names,
                    "whether NIC or host runs the firmware");
    visitor->choice("workload.wait", &workload.wait, wait_names, "how a host's server waits for requests");
    visitor->count("workload.nodes", &workload.nodes, 2, 1024, "nodes");
    visitor->count("workload.dimension", &workload.dimension, 0, 64,
                   "dimension of the barrier's tree; 0: pairwise exchange");
    visitor->count("workload.repeats", &workload.repeats, 1, 1'000'000,
                   "repeats of the measured operation, one after the other");
    visitor->flag("workload.disturb", &workload.disturb,
                  "counter, bandwidth: whether node 1 locks and unlocks meanwhile");
    visitor->number("workload.delay_ns", &workload.delay_ns, 0, 1e9,
                    "pause of the node that locks and unlocks, after each of the two");
    visitor->number("workload.window_ns", &workload.window_ns, 1, 1e9, "time in which the counter counts");
    visitor->number("workload.iteration_ns", &workload.iteration_ns, 1, 1e9, "time of one turn of the counter's loop");
    visitor->count("workload.message_bytes", &workload.message_bytes, 1, 1 << 30,
                   "bytes of each message of the stream");
    visitor->count("workload.tokens", &workload.tokens, 1, 1000, "messages that the stream hands over at a time");
    visitor->number("lanai.clock_mhz", &lanai.clock_mhz, 1, 10'000, "clock of the NIC's processor");
    visitor->count("lanai.token_cycles", &lanai.token_cycles, 0, 1'000'000, "SDMA: cycles to find a barrier's token");
    visitor->count("lanai.finish_cycles", &lanai.finish_cycles, 0, 1'000'000,
                   "RDMA: cycles to tell the host that a barrier is complete");
    visitor->count("lanai.sdma_cycles", &lanai.sdma_cycles, 0, 1'000'000, "SDMA: cycles for a message of the host");
    visitor->count("lanai.send_cycles", &lanai.send_cycles, 0, 1'000'000, "SEND: cycles for a message of the host");
    visitor->count("lanai.receive_cycles", &lanai.receive_cycles, 0, 1'000'000,
                   "RECV: cycles for a message to the host");
    visitor->count("lanai.rdma_cycles", &lanai.rdma_cycles, 0, 1'000'000, "RDMA: cycles for a message to the host");
    visitor->count("lanai.nic_send_cycles", &lanai.nic_send_cycles, 0, 1'000'000,
                   "cycles for a message that the NIC makes");
    visitor->count("lanai.nic_receive_cycles", &lanai.nic_receive_cycles, 0, 1'000'000,
                   "cycles for a message that the NIC executes");
    visitor->count("lanai.atomic_dma_transfers", &lanai.atomic_dma_transfers, 0, 10,
                   "transfers that an atomic operation waits for");
    visitor->number("host.send_ns", &host.send_ns, 0, 1e7, "time to hand something to the NIC");
    visitor->number("host.receive_ns", &host.receive_ns, 0, 1e7, "time to take something from the NIC");
    visitor->number("host.dma_ns", &host.dma_ns, 0, 1e7, "time of a transfer between host and NIC");
    visitor->number("host.interrupt_ns", &host.interrupt_ns, 0, 1e9, "time to wake a server that has blocked");
    visitor->number("host.spin_ns", &host.spin_ns, 0, 1e9, "time for which a server spins before it blocks");
    visitor->number("host.spin_check_ns", &host.spin_check_ns, 0, 1e7, "time that spinning costs for each message");
    visitor->count("host.cpus", &host.cpus, 1, 2, "CPUs of a host, for the main thread and the server");
    visitor->number("host.bus_gbps", &host.bus_gbps, 0.001, 1000, "bandwidth between host and NIC in GB/s");
    visitor->number("network.link_gbps", &network.link_gbps, 0.001, 1000, "bandwidth of a link in GB/s");
    visitor->count("network.packet_bytes", &network.packet_bytes, 64, 1 << 20,
                   "bytes of a message in one packet, at most");
    visitor->number("network.wire_ns", &network.wire_ns, 0, 1e7, "time of a small packet on its way, switch included");
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
