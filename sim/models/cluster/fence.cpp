// SPDX-License-Identifier: BSD-3-Clause
// Barriers, one after the other, alone or after the steps that make them the fence and barrier of Buntinas 2003.
//
// All puts have arrived before the first of these steps, as in the paper's experiment; the processes only have to learn
// it.
//   acknowledged  every put has been acknowledged; only the barrier is left
//   counts        the processes exchange how much each has sent to each other: a word for each node (section 3.1.2)
//   linear        every process asks every other node's server, one after the other (section 3.1.1)
#include "sim/models/cluster/barrier.h"
#include "sim/models/cluster/workloads.h"

namespace syncline::sim::cluster {

namespace {

class Synchronisation final : public Client {
  public:
    Synchronisation(const Parameters& parameters, FenceAlgorithm before)
        : before_(before),
          machine_(parameters, this),
          counts_(&machine_,
                  {ExecutedBy::kHost, 0, static_cast<uint32_t>(8 * parameters.workload.nodes),
                   parameters.workload.halve_counts},
                  kFirstOfCounts, [this](uint32_t node) { barrier_.start(node); }),
          barrier_(&machine_, {barrier_executed_by(parameters), parameters.workload.dimension, 0, false},
                   kFirstOfBarrier, [this](uint32_t node) { leave(node); }),
          asked_(machine_.nodes()),
          rounds_(machine_.nodes()) {}

    Results run() {
        for (uint32_t node = 0; node < machine_.nodes(); node++) {
            begin(node);
        }
        machine_.run();
        machine_.check(left_ == machine_.nodes() * machine_.parameters().workload.repeats);
        const auto repeats = static_cast<double>(machine_.parameters().workload.repeats);
        Results results;
        results.add("latency_us", to_us(end_) / repeats);
        results.add("right", counts_.right() && barrier_.right());
        results.add("messages_each", static_cast<double>(machine_.messages()) / repeats);
        results.add("events", static_cast<int64_t>(machine_.events()));
        return results;
    }

    void receive(Place place, const Message& message) override {
        if (barrier_.receive(message) || counts_.receive(message)) {
            return;
        }
        switch (message.kind) {
            case kBegin:
                begin(message.to);
                break;
            case kAsk:
                machine_.send(place, Place::kProcess, {.from = message.to, .to = message.from, .kind = kAnswer});
                break;
            default:
                ask_next(message.to);
        }
    }

  private:
    enum Kind : uint16_t { kBegin, kAsk, kAnswer, kFirstOfCounts, kFirstOfBarrier = kFirstOfCounts + Barrier::kinds };

    static ExecutedBy barrier_executed_by(const Parameters& parameters) {
        const bool alone = parameters.workload.kind == WorkloadKind::kBarrier;
        return alone ? parameters.workload.executed_by : parameters.workload.fence_barrier;
    }

    void begin(uint32_t node) {
        if (before_ == FenceAlgorithm::kCounts) {
            counts_.start(node);
        } else if (before_ == FenceAlgorithm::kLinear) {
            asked_[node] = 0;
            ask_next(node);
        } else {
            barrier_.start(node);
        }
    }

    void ask_next(uint32_t node) {
        if (++asked_[node] == machine_.nodes()) {
            barrier_.start(node);
            return;
        }
        machine_.send(Place::kProcess, machine_.executed_by(),
                      {.from = node, .to = (node + asked_[node]) % machine_.nodes(), .kind = kAsk});
    }

    void leave(uint32_t node) {
        left_++;
        end_ = machine_.now();
        if (++rounds_[node] < machine_.parameters().workload.repeats) {
            // The call returns after this node has sent what it still has to send.
            machine_.work(0, {.from = node, .to = node, .kind = kBegin});
        }
    }

    const FenceAlgorithm before_;
    Machine machine_;
    Barrier counts_, barrier_;
    std::vector<uint32_t> asked_;
    std::vector<uint64_t> rounds_;
    uint64_t left_ = 0;
    Time end_ = 0;
};

}  // namespace

Results run_barrier(const Parameters& parameters) {
    return Synchronisation(parameters, FenceAlgorithm::kAcknowledged).run();
}

Results run_fence(const Parameters& parameters) {
    return Synchronisation(parameters, parameters.workload.fence).run();
}

}  // namespace syncline::sim::cluster
