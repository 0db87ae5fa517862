// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/atomic_unit/streams.h"

#include <algorithm>
#include <bit>

#include "base/prng.h"
#include "sim/models/atomic_unit/hpcc_random.h"
#include "sim/models/atomic_unit/trace.h"

namespace syncline::sim::atomic_unit {

namespace {

// The focused workload: N - 1 PEs send operations to the memory of PE 0.
class FocusedStream final : public Stream {
  public:
    FocusedStream(const Parameters& parameters, uint32_t pe)
        : parameters_(parameters.workload),
          node_(static_cast<uint32_t>(pe / parameters.processor.per_node)),
          pe_(pe),
          prng_(parameters.workload.seed * 0x9E3779B97F4A7C15u + pe),
          start_(prng_.below(parameters.workload.addresses)) {}

    std::optional<Item> next() override {
        if (pe_ == 0 || issued_ == parameters_.operations) {
            return std::nullopt;
        }
        const uint64_t count = parameters_.addresses;
        const uint64_t which =
            parameters_.order == AddressOrder::kCyclic ? (start_ + issued_) % count : prng_.below(count);
        issued_++;
        Item item;
        item.packet.source = node_;
        item.packet.request.word = count == 1 ? 0 : (pe_ - 1) * count + which;
        // Operands are small whole numbers, so that even sums of doubles do not depend on the order.
        const uint64_t value = prng_.below(1000);
        const bool real = parameters_.operation == Operation::ADD_DOUBLE;
        item.packet.request.operand = real ? std::bit_cast<uint64_t>(static_cast<double>(value)) : value;
        item.packet.request.operation = parameters_.operation;
        item.packet.request.initiator = pe_;
        item.packet.request.fetch = parameters_.fetch;
        return item;
    }

  private:
    const WorkloadParameters parameters_;
    const uint32_t node_, pe_;
    Prng prng_;
    const uint64_t start_;  // PEs do not go through their words in step
    uint64_t issued_ = 0;
};

// Begins far from the start of the sequence, whose first numbers have so few bits set that all go to one word.
uint64_t first_position(uint64_t seed) {
    return Prng(seed).next() >> 16;
}

// HPCC RandomAccess: each PE has its part of the sequence of random numbers.
class RandomAccessStream final : public Stream {
  public:
    RandomAccessStream(const Parameters& parameters, uint32_t pe)
        : parameters_(parameters.workload),
          per_node_(parameters.processor.per_node),
          words_(parameters.workload.table_words * parameters.nodes()),
          pe_(pe),
          random_(first_position(parameters.workload.seed) + pe * parameters.workload.operations) {}

    std::optional<Item> next() override {
        if (issued_ == parameters_.operations) {
            return std::nullopt;
        }
        issued_++;
        const bool messages = parameters_.kind == WorkloadKind::kRandomAccessMessages;
        const uint64_t value = random_.next();
        const uint64_t index = value & (words_ - 1);
        Item item;
        item.packet.source = static_cast<uint32_t>(pe_ / per_node_);
        item.packet.target = static_cast<uint32_t>(index / parameters_.table_words);
        item.packet.kind = messages ? MessageKind::kPut : MessageKind::kAtomic;
        item.packet.request.word = index % parameters_.table_words;
        item.packet.request.operand = value;
        item.packet.request.operation = Operation::XOR;
        item.packet.request.initiator = pe_;
        const uint64_t part = item.packet.request.word * per_node_ / parameters_.table_words;
        item.packet.receiver = static_cast<uint32_t>(item.packet.target * per_node_ + part);
        item.own = messages && item.packet.receiver == pe_;
        return item;
    }

  private:
    const WorkloadParameters parameters_;
    const uint64_t per_node_, words_;
    const uint32_t pe_;
    HpccRandom random_;
    uint64_t issued_ = 0;
};

class TraceStream final : public Stream {
  public:
    explicit TraceStream(uint64_t per_node) : per_node_(per_node) {}
    void add(const TraceLine& line) { lines_.push_back(line); }

    std::optional<Item> next() override {
        if (next_ == lines_.size()) {
            return std::nullopt;
        }
        const TraceLine& line = lines_[next_++];
        Item item;
        item.packet.source = static_cast<uint32_t>(line.initiator / per_node_);
        item.packet.target = line.target;
        item.packet.request = line.request;
        item.not_before = from_ns(line.ns);
        return item;
    }

  private:
    const uint64_t per_node_;
    std::vector<TraceLine> lines_;
    size_t next_ = 0;
};

}  // namespace

std::vector<std::unique_ptr<Stream>> make_streams(const Parameters& parameters) {
    std::vector<std::unique_ptr<Stream>> streams;
    for (uint32_t pe = 0; pe < parameters.workload.pes; pe++) {
        if (parameters.workload.kind == WorkloadKind::kTrace) {
            streams.push_back(std::make_unique<TraceStream>(parameters.processor.per_node));
        } else if (parameters.workload.kind == WorkloadKind::kFocused) {
            streams.push_back(std::make_unique<FocusedStream>(parameters, pe));
        } else {
            streams.push_back(std::make_unique<RandomAccessStream>(parameters, pe));
        }
    }
    if (parameters.workload.kind == WorkloadKind::kTrace) {
        for (const TraceLine& line :
             read_trace(parameters.workload.trace, parameters.workload.pes, parameters.nodes())) {
            static_cast<TraceStream*>(streams[line.initiator].get())->add(line);
        }
    }
    return streams;
}

uint64_t words_needed(const Parameters& parameters) {
    const WorkloadParameters& workload = parameters.workload;
    switch (workload.kind) {
        case WorkloadKind::kFocused:
            return workload.addresses == 1 ? 1 : (workload.pes - 1) * workload.addresses;
        case WorkloadKind::kTrace: {
            uint64_t words = 1;
            for (const TraceLine& line : read_trace(workload.trace, workload.pes, parameters.nodes())) {
                words = std::max(words, line.request.word + 1);
            }
            return words;
        }
        default:
            return workload.table_words;
    }
}

}  // namespace syncline::sim::atomic_unit
