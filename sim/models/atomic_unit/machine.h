// SPDX-License-Identifier: BSD-3-Clause
// The machine of Underwood 2008: dual-processor nodes on a 3-D torus, whose NICs execute atomic operations.
#pragma once

#include <memory>
#include <vector>

#include "sim/kernel/results.h"
#include "sim/models/atomic_unit/model.h"
#include "sim/models/atomic_unit/node.h"
#include "sim/models/atomic_unit/processor.h"
#include "sim/models/atomic_unit/streams.h"
#include "sim/models/atomic_unit/torus.h"

namespace syncline::sim::atomic_unit {

class Machine final : public Component, private TorusClient, private NodeClient {
  public:
    explicit Machine(const Parameters& parameters);

    // Runs the workload to its end. Throws Failure if the machine comes to a halt before.
    Results run();

    void handle(uint64_t what) override { processors_[what]->completed(); }

    const Memory* memory(uint32_t node) const { return nodes_[node]->memory(); }

  private:
    bool reserve(uint32_t node) override { return nodes_[node]->reserve(); }
    void take(uint32_t node, const Packet& packet) override { nodes_[node]->take(packet); }
    void can_inject(uint32_t node) override { nodes_[node]->transmit(); }

    void completed(uint32_t node, uint32_t initiator) override;
    void room_for_commands(uint32_t node) override;
    void message(uint32_t receiver, const Packet& packet) override { processors_[receiver]->message(packet); }

    bool memory_right() const;
    void check_finished() const;
    Results results() const;
    void add_unit_results(Results* results, Time end, uint64_t operations) const;

    const Parameters parameters_;
    Kernel kernel_;
    std::unique_ptr<Torus> torus_;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<std::unique_ptr<Stream>> streams_;
    std::vector<std::unique_ptr<Processor>> processors_;
};

}  // namespace syncline::sim::atomic_unit
