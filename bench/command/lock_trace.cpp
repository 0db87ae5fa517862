// SPDX-License-Identifier: BSD-3-Clause
#include "bench/command/lock_trace.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "bench/report/text.h"

namespace syncline::bench {

namespace {

struct Issued {
    TracedOperation operation;
    uint32_t initiator;
};

void take(const Result& result, uint32_t initiator, std::vector<Issued>* issued) {
    std::vector<TracedOperation> operations(result.head.operations);
    std::memcpy(operations.data(), result.samples.data(), result.samples.size() * sizeof(uint32_t));
    for (const TracedOperation& operation : operations) {
        issued->push_back({operation, initiator});
    }
}

std::string text_of(const std::vector<Issued>& issued, uint32_t pes_of_node) {
    Text text;
    std::map<uint32_t, std::map<std::pair<uint32_t, uint32_t>, size_t>> words;  // by node, then by PE and offset
    const uint64_t start = issued.empty() ? 0 : issued.front().operation.ns;
    for (const auto& [operation, initiator] : issued) {
        auto& of_node = words[operation.target / pes_of_node];
        const size_t word = of_node.try_emplace({operation.target, operation.offset}, of_node.size()).first->second;
        add(&text, "{} {} {} {} {} {}", operation.ns - start, initiator, operation.target / pes_of_node,
            operation.compare != 0 ? "cas" : "swap", word, operation.operand);
        add(&text, "{}\n", operation.compare != 0 ? fmt::format(" {}", operation.comparand) : "");
    }
    return fmt::to_string(text);
}

}  // namespace

std::string record_lock_trace(BenchJob* job, const LockTraceOptions& options) {
    const Command command = {.verb = Verb::kTraceLock, .target = 0, .count = options.sections, .gate = options.gate};
    for (const uint32_t rank : options.contenders) {
        job->post(rank, command);
    }
    std::vector<Issued> issued;
    for (const uint32_t rank : options.contenders) {
        take(job->collect(rank), rank, &issued);
    }
    // A node's CPUs execute operations that stay on the node.
    std::erase_if(issued, [&](const Issued& one) {
        return one.operation.target / options.pes_of_node == one.initiator / options.pes_of_node;
    });
    std::sort(issued.begin(), issued.end(), [](const Issued& a, const Issued& b) {
        return std::pair(a.operation.ns, a.initiator) < std::pair(b.operation.ns, b.initiator);
    });
    return text_of(issued, options.pes_of_node);
}

}  // namespace syncline::bench
