// SPDX-License-Identifier: BSD-3-Clause
// Barriers of a cluster: the algorithms of firmware/schedule.h, for any number of nodes, without a table for each node.
#pragma once

#include <functional>
#include <vector>

#include "sim/models/cluster/machine.h"

namespace syncline::sim::cluster {

class Barrier {
  public:
    static constexpr uint16_t kinds = 3;  // number of kinds of message, from `first_kind` on

    struct Shape {
        ExecutedBy executed_by;
        uint64_t dimension;  // of the tree; 0: pairwise exchange, or dissemination where nodes is not a power of two
        uint32_t bytes;      // that a message carries
        bool halving;        // the first phase carries a half of the bytes, and each phase half of the phase before it
    };
    // Calls `left` for each node that has left an epoch, in the node's process.
    Barrier(Machine* machine, const Shape& shape, uint16_t first_kind, std::function<void(uint32_t)> left);

    // The process of `node` enters its next epoch.
    void start(uint32_t node);
    // Handles the message if it is this barrier's. Returns whether it is.
    bool receive(const Message& message);
    // Returns whether no node has left an epoch before all nodes had entered it.
    bool right() const { return right_; }

  private:
    enum Kind : uint16_t { kToken, kStep, kDone };
    enum Phase : uint16_t { kUp, kDown };
    struct Node {
        uint32_t epoch = 0;         // the last epoch that the node has entered
        uint8_t phase = 0;          // the exchange's phase
        bool waiting = false;       // the node waits for messages of that epoch
        uint64_t heard[2] = {};     // exchange: the phases heard of this epoch and the next, by the epoch's parity
        uint32_t gathered[2] = {};  // tree: number of children that have come, likewise
    };

    uint16_t kind(Kind of) const { return static_cast<uint16_t>(first_kind_ + of); }
    uint32_t children(uint32_t node) const;
    void enter(uint32_t node);
    void step(const Message& message);
    void exchange(uint32_t node);
    void gather(uint32_t node);
    void release(uint32_t node);
    void finish(uint32_t node);
    void leave(uint32_t node);
    void emit(uint32_t from, uint32_t to, uint16_t phase, uint32_t epoch);

    Machine* const machine_;
    const Shape shape_;
    const uint16_t first_kind_;
    const std::function<void(uint32_t)> left_;
    const uint32_t count_;
    const uint32_t phases_;
    std::vector<Node> nodes_;
    uint64_t started_ = 0;
    bool right_ = true;
};

}  // namespace syncline::sim::cluster
