// SPDX-License-Identifier: BSD-3-Clause
#include "sim/myrinet.h"

#include <memory>

#include "base/failure.h"
#include "sim/myrinet_node.h"

namespace syncline::sim {

namespace {

constexpr const char* workload_names[] = {"barrier", "compare-swap"};
constexpr const char* wait_names[] = {"poll", "block"};

class Myrinet {
  public:
    explicit Myrinet(const MyrinetParameters& parameters) : p_(parameters) {
        for (uint32_t i = 0; i < p_.nodes; i++) {
            nodes_.push_back(std::make_unique<MyrinetNode>(&kernel_, i, static_cast<uint32_t>(p_.nodes)));
            nodes_.back()->open_barrier(static_cast<uint32_t>(p_.dimension));
        }
    }

    Results run() {
        if (p_.workload == MyrinetWorkload::kBarrier) {
            for (uint32_t i = 0; i < p_.nodes; i++) {
                begin_epoch(i);
            }
        } else {
            compare_swap();
        }
        kernel_.run();
        return results();
    }

  private:
    using Bytes = MyrinetNode::Bytes;

    bool nic() const { return p_.executor == Executor::kNic; }
    Time cycles(uint64_t count) const { return from_ns(static_cast<double>(count) * 1000 / p_.clock_mhz); }

    // A message of the host at `node`: through SDMA, the bus and SEND.
    void send_from_host(uint32_t node, uint32_t to, const Bytes& packet) {
        nodes_[node]->host.add(from_ns(p_.host_send_ns), [this, node, to, packet] {
            nodes_[node]->lanai.add(cycles(p_.sdma_cycles), [this, node, to, packet] {
                delay(p_.dma_ns, [this, node, to, packet] {
                    nodes_[node]->lanai.add(cycles(p_.send_cycles),
                                            [this, node, to, packet] { cross(node, to, packet); });
                });
            });
        });
    }

    void send_from_nic(uint32_t node, uint32_t to, const Bytes& packet) {
        nodes_[node]->lanai.add(cycles(p_.nic_send_cycles), [this, node, to, packet] { cross(node, to, packet); });
    }

    void cross(uint32_t node, uint32_t to, const Bytes& packet) {
        messages_++;
        nodes_[node]->wire.add(from_ns(p_.wire_ns), [this, node, to, packet] { arrive(node, to, packet); });
    }

    // At the NIC of `node`. A reply is brought to the host; the rest is executed here or there.
    void arrive(uint32_t from, uint32_t node, const Bytes& packet) {
        if (nic() && !(p_.workload == MyrinetWorkload::kCompareSwap && node == 0)) {
            const bool atomic = p_.workload == MyrinetWorkload::kCompareSwap;
            nodes_[node]->lanai.add(cycles(p_.nic_receive_cycles), [this, from, node, packet, atomic] {
                delay(atomic ? p_.dma_ns * static_cast<double>(p_.atomic_dma_transfers) : 0,
                      [this, from, node, packet] { execute(from, node, packet); });
            });
            return;
        }
        nodes_[node]->lanai.add(cycles(p_.receive_cycles + p_.rdma_cycles), [this, from, node, packet] {
            delay(p_.dma_ns, [this, from, node, packet] {
                // A server that has blocked is woken; the initiator polls.
                const bool asleep = p_.wait == ServerWait::kBlock && node != 0;
                nodes_[node]->host.add(from_ns(p_.host_receive_ns + (asleep ? p_.interrupt_ns : 0)),
                                       [this, from, node, packet] { execute(from, node, packet); });
            });
        });
    }

    void execute(uint32_t from, uint32_t node, const Bytes& packet) {
        MyrinetNode& here = *nodes_[node];
        const bool complete_before = here.barrier_complete();
        const auto outgoing = here.execute(from, packet);
        if (p_.workload == MyrinetWorkload::kBarrier && !complete_before && here.barrier_complete()) {
            finish_epoch(node);
        }
        send_all(node, outgoing);
        if (p_.workload == MyrinetWorkload::kCompareSwap && node == 0) {
            finish_compare_swap();
        }
    }

    void send_all(uint32_t node, const std::vector<MyrinetNode::Outgoing>& outgoing) {
        for (const MyrinetNode::Outgoing& message : outgoing) {
            if (nic()) {
                send_from_nic(node, message.to, message.packet);
            } else {
                send_from_host(node, message.to, message.packet);
            }
        }
    }

    void begin_epoch(uint32_t node) {
        started_++;
        if (!nic()) {
            send_all(node, nodes_[node]->start_barrier());
            return;
        }
        nodes_[node]->host.add(from_ns(p_.host_send_ns), [this, node] {
            nodes_[node]->lanai.add(cycles(p_.token_cycles), [this, node] {
                delay(p_.dma_ns, [this, node] { send_all(node, nodes_[node]->start_barrier()); });
            });
        });
    }

    void finish_epoch(uint32_t node) {
        if (!nic()) {
            leave_epoch(node);
            return;
        }
        nodes_[node]->lanai.add(cycles(p_.finish_cycles), [this, node] {
            delay(p_.dma_ns, [this, node] {
                nodes_[node]->host.add(from_ns(p_.host_receive_ns), [this, node] { leave_epoch(node); });
            });
        });
    }

    void leave_epoch(uint32_t node) {
        right_ = right_ && started_ >= p_.nodes * nodes_[node]->epoch();
        finished_ += node == 0 ? 1 : 0;
        end_ = kernel_.now();
        if (nodes_[node]->epoch() < p_.repeats) {
            // Behind what this node still has to send for the epoch: the call returns after that.
            nodes_[node]->host.add(0, [this, node] { begin_epoch(node); });
        }
    }

    void compare_swap() { send_from_host(0, 1, nodes_[0]->compare_swap(1)); }

    void finish_compare_swap() {
        right_ = right_ && nodes_[0]->succeeded();
        end_ = kernel_.now();
        if (++finished_ < p_.repeats) {
            compare_swap();
        }
    }

    // A delay that keeps nobody busy. It is gone when it is over.
    struct Delay final : Component {
        explicit Delay(std::function<void()> what) : then(std::move(what)) {}
        void handle(uint64_t /*what*/) override {
            const std::unique_ptr<Delay> self(this);
            then();
        }
        std::function<void()> then;
    };
    void delay(double ns, std::function<void()> then) {
        kernel_.after(from_ns(ns), std::make_unique<Delay>(std::move(then)).release(), 0);
    }

    Results results() const {
        const bool complete = finished_ == p_.repeats;
        if (!complete) {
            fail(SYNCLINE_ERR_SYSTEM, "the simulated machine has come to a halt after {:.3f} us", to_us(kernel_.now()));
        }
        Results results;
        results.add("latency_us", to_us(end_) / static_cast<double>(p_.repeats));
        results.add("right", right_);
        results.add("messages_each", static_cast<double>(messages_) / static_cast<double>(p_.repeats));
        results.add("events", static_cast<int64_t>(kernel_.events()));
        return results;
    }

    const MyrinetParameters p_;
    Kernel kernel_;
    std::vector<std::unique_ptr<MyrinetNode>> nodes_;
    uint64_t started_ = 0, finished_ = 0, messages_ = 0;
    bool right_ = true;  // nobody left a barrier before all had started it; every compare&swap found what it expected
    Time end_ = 0;
};

}  // namespace

void MyrinetParameters::visit(Visitor* visitor) {
    visitor->choice("workload.kind", &workload, workload_names, "what is measured");
    visitor->choice("workload.executor", &executor, executor_names, "who runs the firmware");
    visitor->choice("workload.wait", &wait, wait_names, "how a host's server waits");
    visitor->count("workload.nodes", &nodes, 2, 1024, "nodes");
    visitor->count("workload.dimension", &dimension, 0, 64, "of the barrier's tree; 0: pairwise exchange");
    visitor->count("workload.repeats", &repeats, 1, 1'000'000, "barriers, or operations, one after the other");
    visitor->number("lanai.clock_mhz", &clock_mhz, 1, 10'000, "of the NIC's processor");
    visitor->count("lanai.token_cycles", &token_cycles, 0, 1'000'000, "SDMA: to find a barrier's token");
    visitor->count("lanai.finish_cycles", &finish_cycles, 0, 1'000'000, "RDMA: to tell the host that it is complete");
    visitor->count("lanai.sdma_cycles", &sdma_cycles, 0, 1'000'000, "SDMA: for a message of the host");
    visitor->count("lanai.send_cycles", &send_cycles, 0, 1'000'000, "SEND: for a message of the host");
    visitor->count("lanai.receive_cycles", &receive_cycles, 0, 1'000'000, "RECV: for a message to the host");
    visitor->count("lanai.rdma_cycles", &rdma_cycles, 0, 1'000'000, "RDMA: for a message to the host");
    visitor->count("lanai.nic_send_cycles", &nic_send_cycles, 0, 1'000'000, "for a message that the NIC makes");
    visitor->count("lanai.nic_receive_cycles", &nic_receive_cycles, 0, 1'000'000, "for one that it executes");
    visitor->count("lanai.atomic_dma_transfers", &atomic_dma_transfers, 0, 10, "that an atomic operation waits for");
    visitor->number("host.send_ns", &host_send_ns, 0, 1e7, "to hand something to the NIC");
    visitor->number("host.receive_ns", &host_receive_ns, 0, 1e7, "to take something from the NIC");
    visitor->number("host.dma_ns", &dma_ns, 0, 1e7, "of a transfer between host and NIC");
    visitor->number("host.interrupt_ns", &interrupt_ns, 0, 1e9, "to wake a server that has blocked");
    visitor->number("network.wire_ns", &wire_ns, 0, 1e7, "of a small packet, switch included");
}

void MyrinetParameters::check() const {
    if (dimension >= nodes) {
        fail(SYNCLINE_ERR_INVALID, "a tree of {} nodes has no node with {} children", nodes, dimension);
    }
}

Results MyrinetModel::run() const {
    parameters_.check();
    return Myrinet(parameters_).run();
}

}  // namespace syncline::sim
