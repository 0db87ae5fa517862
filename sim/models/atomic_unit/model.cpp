// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/atomic_unit/model.h"

#include <bit>

#include "base/failure.h"

namespace syncline::sim::atomic_unit {

namespace {

constexpr const char* workload_names[] = {"focused", "random-access", "random-access-messages", "trace"};
constexpr const char* order_names[] = {"random", "cyclic"};

void visit(WorkloadParameters* p, Visitor* visitor) {
    visitor->choice("workload.kind", &p->kind, workload_names, "what the PEs do");
    visitor->count("workload.pes", &p->pes, 1, 4096, "processing elements");
    visitor->count("workload.operations", &p->operations, 1, 100'000'000, "operations of each PE");
    visitor->count("workload.addresses", &p->addresses, 1, 4096, "focused: words of each PE; with 1 all PEs share one");
    visitor->choice("workload.order", &p->order, order_names, "focused: order in which a PE goes through its words");
    visitor->choice("workload.operation", &p->operation, operation_names, "focused: operation of the atomic unit");
    visitor->flag("workload.fetch", &p->fetch, "focused: whether the old value goes back to the PE");
    visitor->count("workload.outstanding", &p->outstanding, 1, 1'000'000, "outstanding operations of a PE, at most");
    visitor->count("workload.table_words", &p->table_words, 1, 1 << 26,
                   "random access: 8-byte words of the table on each node");
    visitor->count("workload.seed", &p->seed, 0, INT64_MAX, "seed of all random numbers");
    visitor->text("workload.trace", &p->trace, "trace: name of the file");
}

void visit(ProcessorParameters* p, Visitor* visitor) {
    visitor->count("processor.per_node", &p->per_node, 1, 64, "PEs of a node");
    visitor->number("processor.issue_ns", &p->issue_ns, 0.001, 1e6, "time to make an operation and hand it to the NIC");
    visitor->number("processor.apply_ns", &p->apply_ns, 0.001, 1e6, "time to apply an update that came in a message");
}

void visit(NicParameters* p, Visitor* visitor) {
    visitor->count("nic.command_cycles", &p->command_cycles, 1, 1000, "cycles to take a command and send it");
    visitor->count("nic.receive_cycles", &p->receive_cycles, 1, 1000, "cycles to receive a packet");
    visitor->count("nic.command_queue", &p->command_queue, 1, 65536, "commands on their way to the network, at most");
    visitor->count("nic.receive_queue", &p->receive_queue, 1, 65536, "places for packets that the NIC receives");
}

void visit(UnitParameters* p, Visitor* visitor) {
    visitor->number("unit.clock_mhz", &p->clock_mhz, 1, 10'000, "clock of the NIC");
    visitor->count("unit.input", &p->input, 1, 65536, "requests that wait at the unit, at most");
    visitor->count("unit.pending", &p->pending, 1, 65536, "operations whose word has been asked for, at most");
    visitor->count("unit.window", &p->window, 0, 65536, "requests that the issue unit sees ahead");
    visitor->count("unit.registers", &p->registers, 0, 65536,
                   "registers for intermediate values; 0: every result is written");
    visitor->choice("unit.ageing", &p->ageing, ageing_names, "rule that ends the reuse of a register");
    visitor->count("unit.age_limit", &p->age_limit, 0, 1'000'000, "results in a row that stay in a register");
    visitor->count("unit.host_queue_low", &p->host_queue_low, 0, 65536,
                   "with fewer requests queued to the host than this, a result leaves its register");
    visitor->count("unit.set_aside", &p->set_aside, 0, 65536, "blocked operations that others may pass");
    visitor->count("unit.alu_depth", &p->alu_depth, 1, 1000, "cycles of an operation in the ALU");
    visitor->count("unit.float_depth", &p->float_depth, 1, 1000, "cycles of a floating-point addition");
    visitor->count("unit.hazard_entries", &p->hazard_entries, 1, 65536, "entries of the buffer of host writes");
    visitor->choice("unit.hazard", &p->hazard, hazard_scheme_names, "way to keep reads from passing writes");
    visitor->count("cache.lines", &p->lines, 0, 1 << 20, "lines of one word each; 0: no cache");
    visitor->count("cache.ways", &p->ways, 1, 1 << 20, "associativity");
    visitor->count("cache.latency_cycles", &p->cache_latency, 1, 1000, "cycles of a hit");
    visitor->flag("cache.blocking", &p->blocking, "whether a request that waits for a line keeps all others waiting");
    visitor->choice("cache.policy", &p->policy, cache_policy_names, "when a write goes to the host");
    visitor->number("cache.write_back_ns", &p->write_back_ns, 1, 1e9,
                    "write-back: time after which a line is written at the latest");
}

void visit(HostParameters* p, Visitor* visitor) {
    visitor->number("host.latency_ns", &p->latency_ns, 0.1, 1e6, "latency of the host bus, each way");
    visitor->number("host.bandwidth_gbps", &p->bandwidth_gbps, 0.001, 1e4,
                    "bandwidth in gigabytes per second, each way");
    visitor->count("host.tags", &p->tags, 1, 1 << 20, "requests outstanding at once");
    visitor->count("host.queue", &p->queue, 1, 1 << 20, "requests that wait for the bus or a tag, at most");
    visitor->number("host.read_request_bytes", &p->read_request_bytes, 0, 4096, "bytes of a read request");
    visitor->number("host.write_request_bytes", &p->write_request_bytes, 0, 4096, "bytes of a write with its data");
    visitor->number("host.response_bytes", &p->response_bytes, 0, 4096,
                    "bytes of the response to a read, with its data");
    visitor->number("host.acknowledgement_bytes", &p->acknowledgement_bytes, 0, 4096,
                    "bytes of the acknowledgement of a write");
    visitor->number("host.command_bytes", &p->command_bytes, 0, 4096, "bytes of a processor's command to the NIC");
    visitor->number("host.write_visible_ns", &p->write_visible_ns, 0, 1e6,
                    "time from a write's arrival until reads see it");
    visitor->count("host.write_credits", &p->write_credits, 0, 1 << 20,
                   "writes on their way, at most; 0: writes take tags");
    visitor->flag("host.tag_until_acknowledged", &p->tag_until_acknowledged,
                  "whether a write keeps its tag until it is acknowledged");
}

void visit(MemoryParameters* p, Visitor* visitor) {
    visitor->number("memory.latency_ns", &p->latency_ns, 0, 1e6, "latency of an access");
    visitor->number("memory.bandwidth_gbps", &p->bandwidth_gbps, 0.001, 1e5, "bandwidth in gigabytes per second");
    visitor->number("memory.access_bytes", &p->access_bytes, 0, 4096, "bytes of the bandwidth that an access takes");
}

void visit(NetworkParameters* p, Visitor* visitor) {
    visitor->number("network.link_gbps", &p->link_gbps, 0.001, 1e5,
                    "bandwidth of a link in gigabytes per second, each way");
    visitor->number("network.link_overhead", &p->link_overhead, 0, 0.99, "share of the link that the protocol takes");
    visitor->flag("network.overhead_included", &p->overhead_included,
                  "whether packet_bytes include the link's overhead");
    visitor->number("network.packet_bytes", &p->packet_bytes, 1, 65536, "bytes of an operation on a link");
    visitor->number("network.router_latency_ns", &p->router_latency_ns, 0.001, 1e6, "latency of each router");
    visitor->count("network.buffer_packets", &p->buffer_packets, 1, 255,
                   "packets in the buffer of each virtual channel of a router's input");
}

}  // namespace

void Parameters::visit(Visitor* visitor) {
    atomic_unit::visit(&workload, visitor);
    atomic_unit::visit(&processor, visitor);
    atomic_unit::visit(&nic, visitor);
    atomic_unit::visit(&unit, visitor);
    atomic_unit::visit(&host, visitor);
    atomic_unit::visit(&memory, visitor);
    atomic_unit::visit(&network, visitor);
}

void Parameters::check() const {
    check_geometry(unit.lines, unit.ways);
    if (workload.kind == WorkloadKind::kFocused && workload.pes < 2) {
        fail(SYNCLINE_ERR_INVALID, "the focused workload needs 2 PEs: all but the first issue operations to it");
    }
    const bool random_access =
        workload.kind == WorkloadKind::kRandomAccess || workload.kind == WorkloadKind::kRandomAccessMessages;
    if (random_access && !std::has_single_bit(workload.table_words * nodes())) {
        fail(SYNCLINE_ERR_INVALID,
             "the table of RandomAccess has {} words on {} nodes: together that is no power of two",
             workload.table_words, nodes());
    }
    const bool commutes = workload.operation != Operation::SWAP && workload.operation != Operation::CAS;
    if (!commutes && workload.kind != WorkloadKind::kTrace) {
        fail(SYNCLINE_ERR_INVALID,
             "workload.operation: this workload is checked against a sequential run, so its "
             "operations must commute: all but \"swap\" and \"cas\"");
    }
}

}  // namespace syncline::sim::atomic_unit
