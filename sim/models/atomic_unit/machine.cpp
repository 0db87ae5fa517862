// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/atomic_unit/machine.h"

#include <algorithm>

#include "base/failure.h"

namespace syncline::sim {

Machine::Machine(const MachineParameters& parameters) : parameters_(parameters) {
    parameters.check();
    const uint32_t nodes = parameters.nodes();
    torus_ =
        std::make_unique<Torus>(&kernel_, parameters.network, dimensions_of(nodes), static_cast<TorusClient*>(this));
    const uint64_t words = words_needed(parameters);
    for (uint32_t i = 0; i < nodes; i++) {
        nodes_.push_back(
            std::make_unique<Node>(&kernel_, parameters, i, words, torus_.get(), static_cast<NodeClient*>(this)));
    }
    streams_ = make_streams(parameters);
    for (uint32_t pe = 0; pe < parameters.workload.pes; pe++) {
        Node* const node = nodes_[pe / parameters.processor.per_node].get();
        processors_.push_back(std::make_unique<Processor>(&kernel_, parameters, node, streams_[pe].get()));
    }
}

// The network tells the initiator's NIC, and that its processor: no bytes of that are in the paper's equations.
void Machine::completed(uint32_t node, uint32_t initiator) {
    const auto home = static_cast<uint32_t>(initiator / parameters_.processor.per_node);
    kernel_.after(torus_->latency(node, home) + from_ns(parameters_.host.latency_ns), this, initiator);
}

void Machine::room_for_commands(uint32_t node) {
    const uint64_t first = node * parameters_.processor.per_node;
    for (uint64_t i = 0; i < parameters_.processor.per_node && first + i < processors_.size(); i++) {
        processors_[first + i]->wake();
    }
}

Results Machine::run() {
    for (const auto& processor : processors_) {
        processor->begin();
    }
    kernel_.run();
    check_finished();
    return results();
}

void Machine::check_finished() const {
    bool finished = torus_->in_flight() == 0;
    for (const auto& processor : processors_) {
        finished = finished && processor->finished();
    }
    for (const auto& node : nodes_) {
        finished = finished && node->idle();
    }
    if (!finished) {
        fail(SYNCLINE_ERR_SYSTEM, "the simulated machine has come to a halt after {:.3f} us with operations left",
             to_us(kernel_.now()));
    }
}

// The same operations, one after the other. A trace is not compared: its operations need not commute.
bool Machine::memory_right() const {
    const uint64_t words = words_needed(parameters_);
    std::vector<std::vector<uint64_t>> expected(nodes_.size(), std::vector<uint64_t>(words));
    for (const auto& stream : make_streams(parameters_)) {
        while (const std::optional<Stream::Item> item = stream->next()) {
            uint64_t& word = expected[item->packet.target][item->packet.request.word];
            word = apply(item->packet.request, word);
        }
    }
    for (size_t i = 0; i < nodes_.size(); i++) {
        if (nodes_[i]->memory()->words() != expected[i]) {
            return false;
        }
    }
    return true;
}

Results Machine::results() const {
    uint64_t issued = 0, completions = 0, applied = 0;
    Time end = 0, latencies = 0;
    for (const auto& processor : processors_) {
        issued += processor->issued();
        completions += processor->completions();
        applied += processor->applied();
        latencies += processor->latencies();
        end = std::max({end, processor->last_completion(), processor->last_applied()});
    }
    const double seconds = to_ns(end) * 1e-9;
    const double rate = seconds > 0 ? static_cast<double>(issued) / seconds / 1e6 : 0;
    Results results;
    results.add("time_us", to_us(end));
    results.add("operations", static_cast<int64_t>(issued));
    results.add("completions", static_cast<int64_t>(completions));
    results.add("applied_by_processors", static_cast<int64_t>(applied));
    results.add("rate_mops", rate);
    results.add("rate_mops_per_node", rate / static_cast<double>(nodes_.size()));
    results.add("payload_mbps", rate * 8);
    results.add("latency_ns", completions != 0 ? to_ns(latencies) / static_cast<double>(completions) : 0.0);
    if (parameters_.workload.kind != WorkloadKind::kTrace) {
        results.add("memory_right", memory_right());
    }
    add_unit_results(&results, end, issued);
    results.add("events", static_cast<int64_t>(kernel_.events()));
    return results;
}

void Machine::add_unit_results(Results* results, Time end, uint64_t operations) const {
    AtomicUnit::Statistics unit;
    HostInterface::Statistics host;
    uint64_t merged = 0;
    for (const auto& node : nodes_) {
        const AtomicUnit::Statistics& one = node->unit().statistics();
        unit.operations += one.operations;
        unit.hits += one.hits;
        unit.misses += one.misses;
        unit.to_register += one.to_register;
        unit.hazard_waits += one.hazard_waits;
        merged += node->unit().host_writes_merged();
        host.reads += node->host().statistics().reads;
        host.writes += node->host().statistics().writes;
        host.flushes += node->host().statistics().flushes;
        host.messages += node->host().statistics().messages;
        host.tags_most = std::max(host.tags_most, node->host().statistics().tags_most);
        host.tag_time = std::max(host.tag_time, node->host().statistics().tag_time);
        host.to_host_busy += node->host().statistics().to_host_busy;
        host.to_nic_busy += node->host().statistics().to_nic_busy;
    }
    results->add("unit_operations", static_cast<int64_t>(unit.operations));
    results->add("cache_hits", static_cast<int64_t>(unit.hits));
    results->add("cache_misses", static_cast<int64_t>(unit.misses));
    results->add("results_to_register", static_cast<int64_t>(unit.to_register));
    results->add("hazard_waits", static_cast<int64_t>(unit.hazard_waits));
    results->add("host_reads", static_cast<int64_t>(host.reads));
    results->add("host_writes", static_cast<int64_t>(host.writes));
    results->add("host_writes_merged", static_cast<int64_t>(merged));
    results->add("host_flushes", static_cast<int64_t>(host.flushes));
    results->add("host_messages", static_cast<int64_t>(host.messages));
    results->add("tags_most", static_cast<int64_t>(host.tags_most));
    results->add("tags_mean", static_cast<double>(host.tag_time) / static_cast<double>(std::max<Time>(end, 1)));
    const double bytes = parameters_.host.bandwidth_gbps / static_cast<double>(std::max<uint64_t>(operations, 1));
    results->add("to_host_bytes", to_ns(host.to_host_busy) * bytes);  // for each operation
    results->add("to_nic_bytes", to_ns(host.to_nic_busy) * bytes);
}

Results run_machine(const MachineParameters& parameters) {
    return Machine(parameters).run();
}

}  // namespace syncline::sim
