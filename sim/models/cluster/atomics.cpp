// SPDX-License-Identifier: BSD-3-Clause
// The processes of all nodes but node 0 execute fetch&adds on a word of node 0.
#include "sim/models/cluster/machine.h"
#include "sim/models/cluster/workloads.h"

namespace syncline::sim::cluster {

namespace {

class Atomics final : public Client {
  public:
    explicit Atomics(const Parameters& parameters)
        : p_(parameters), machine_(parameters, this), issued_(machine_.nodes()) {}

    Results run() {
        for (uint32_t node = 1; node < machine_.nodes(); node++) {
            for (uint64_t i = 0; i < std::min(p_.workload.outstanding, p_.workload.repeats); i++) {
                issue(node);
            }
        }
        machine_.run();
        const auto count = static_cast<double>((p_.workload.nodes - 1) * p_.workload.repeats);
        Results results;
        results.add("latency_us", to_us(waited_) / count);
        results.add("rate_mops", count / to_us(machine_.now()));
        results.add("messages_each", static_cast<double>(machine_.messages()) / count);
        results.add("right", word_ == (p_.workload.nodes - 1) * p_.workload.repeats && finished_ == word_);
        results.add("events", static_cast<int64_t>(machine_.events()));
        return results;
    }

    void receive(Place place, const Message& message) override {
        if (message.kind == kAdd) {
            word_++;
            machine_.send(place, Place::kProcess, {.from = message.to, .to = message.from, .kind = kResult});
            return;
        }
        finished_++;
        // The sum of all latencies is the sum of all ends less the sum of all beginnings.
        waited_ += machine_.now();
        if (issued_[message.to] < p_.workload.repeats) {
            issue(message.to);
        }
    }

  private:
    enum Kind : uint16_t { kAdd, kResult };
    void issue(uint32_t node) {
        issued_[node]++;
        waited_ -= machine_.now();
        machine_.send(Place::kProcess, machine_.executed_by(), {.from = node, .to = 0, .kind = kAdd});
    }

    const Parameters p_;
    Machine machine_;
    std::vector<uint64_t> issued_;  // by each process
    uint64_t word_ = 0, finished_ = 0;
    Time waited_ = 0;
};

}  // namespace

Results run_atomics(const Parameters& parameters) {
    return Atomics(parameters).run();
}

}  // namespace syncline::sim::cluster
