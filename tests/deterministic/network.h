// SPDX-License-Identifier: BSD-3-Clause
// Packets between simulated nodes: lost, repeated, delayed and thereby reordered, and cut off from a node altogether.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/clock.h"
#include "tests/deterministic/scheduler.h"

namespace syncline::simulation {

struct NetworkFaults {
    double loss = 0;
    double repeat = 0;
    double late = 0;  // packets that take up to `late_ns`, not `delay_ns`
    uint64_t delay_ns = 5 * ns_per_us;
    uint64_t late_ns = 30 * ns_per_ms;
};

struct Packet {
    uint32_t from;  // nodes
    uint32_t to;
    uint32_t socket;  // the rank whose socket the request came from and the reply goes to
    std::vector<uint8_t> bytes;
};

class Network {
  public:
    using Receiver = std::function<void(const Packet&)>;
    Network(Scheduler* scheduler, uint32_t nodes, const NetworkFaults& faults, Receiver receiver)
        : scheduler_(scheduler), faults_(faults), cut_(nodes), receiver_(std::move(receiver)) {}

    void send(const Packet& packet);
    // Nothing leaves or reaches the node any more, or does so again.
    void cut(uint32_t node, bool off) { cut_[node] = off; }
    uint64_t sent() const { return sent_; }

  private:
    bool is_cut(const Packet& packet) const {
        return packet.from != packet.to && (cut_[packet.from] || cut_[packet.to]);
    }

    Scheduler* const scheduler_;
    const NetworkFaults faults_;
    std::vector<bool> cut_;
    const Receiver receiver_;
    uint64_t sent_ = 0;
};

}  // namespace syncline::simulation
