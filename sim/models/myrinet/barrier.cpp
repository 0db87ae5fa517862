// SPDX-License-Identifier: BSD-3-Clause
#include "sim/models/myrinet/machine.h"
#include "sim/models/myrinet/workloads.h"

namespace syncline::sim::myrinet {

namespace {

class Barriers final : public Machine::Client {
  public:
    explicit Barriers(const Parameters& parameters) : p_(parameters), machine_(parameters, this) {
        complete_.resize(p_.workload.nodes, true);
        for (uint32_t i = 0; i < machine_.nodes(); i++) {
            machine_.node(i).open_barrier(static_cast<uint32_t>(p_.workload.dimension));
        }
    }

    Results run() {
        for (uint32_t i = 0; i < machine_.nodes(); i++) {
            begin_epoch(i);
        }
        machine_.run();
        machine_.kernel().check(finished_ == p_.workload.repeats);
        return machine_.results(end_, right_);
    }

    void executed(uint32_t node) override {
        if (!complete_[node] && machine_.node(node).barrier_complete()) {
            finish_epoch(node);
        }
    }

  private:
    void begin_epoch(uint32_t node) {
        started_++;
        if (!machine_.nic()) {
            start(node);
            return;
        }
        Node& here = machine_.node(node);
        here.host.run(from_ns(p_.host.send_ns), [this, &here, node] {
            here.lanai.add(machine_.cycles(p_.lanai.token_cycles), [this, &here, node] {
                here.dma.add(from_ns(p_.host.dma_ns), [this, node] { start(node); });
            });
        });
    }

    void start(uint32_t node) {
        const auto outgoing = machine_.node(node).start_barrier();
        complete_[node] = false;
        executed(node);
        machine_.send_all(node, outgoing);
    }

    void finish_epoch(uint32_t node) {
        complete_[node] = true;
        if (!machine_.nic()) {
            leave_epoch(node);
            return;
        }
        Node& here = machine_.node(node);
        here.lanai.add(machine_.cycles(p_.lanai.finish_cycles), [this, &here, node] {
            here.dma.add(from_ns(p_.host.dma_ns), [this, &here, node] {
                here.host.run(from_ns(p_.host.receive_ns), [this, node] { leave_epoch(node); });
            });
        });
    }

    void leave_epoch(uint32_t node) {
        Node& here = machine_.node(node);
        right_ = right_ && started_ >= p_.workload.nodes * here.epoch();
        finished_ += node == 0 ? 1 : 0;
        end_ = machine_.kernel().now();
        if (here.epoch() < p_.workload.repeats) {
            // The call returns after this node has sent what it still has to send for the epoch.
            here.host.run(0, [this, node] { begin_epoch(node); });
        }
    }

    const Parameters p_;
    Machine machine_;
    std::vector<bool> complete_;
    uint64_t started_ = 0, finished_ = 0;
    bool right_ = true;  // no node left a barrier before all had started it
    Time end_ = 0;
};

}  // namespace

Results run_barrier(const Parameters& parameters) {
    return Barriers(parameters).run();
}

}  // namespace syncline::sim::myrinet
