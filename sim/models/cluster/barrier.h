// SPDX-License-Identifier: BSD-3-Clause
// Barriers of a cluster: the algorithms of firmware/schedule.h, for any number of nodes and without a table for each.
#pragma once

#include <functional>
#include <vector>

#include "sim/models/cluster/machine.h"

namespace syncline::sim {

class ClusterBarrier {
  public:
    static constexpr uint16_t kinds = 3;  // of message, from `first_kind`

    struct Shape {
        Executor executor;
        uint64_t dimension;  // of the tree; 0: pairwise exchange, dissemination where nodes is no power of two
        uint32_t bytes;      // that a message carries
        bool halving;        // each phase half of what the one before it did, and the first one a half
    };
    // `left` is called for each node that has left an epoch, in its process.
    ClusterBarrier(ClusterMachine* machine, const Shape& shape, uint16_t first_kind,
                   std::function<void(uint32_t)> left);

    // The process of `node` comes to its next epoch.
    void start(uint32_t node);
    // Is the message one of this barrier's? It has been dealt with then.
    bool receive(const Message& message);
    // Nobody has left an epoch before all had come to it.
    bool right() const { return right_; }

  private:
    enum Kind : uint16_t { kToken, kStep, kDone };
    enum Phase : uint16_t { kUp, kDown };
    struct Node {
        uint32_t epoch = 0;         // the last it came to
        uint8_t phase = 0;          // of exchange
        bool waiting = false;       // for messages of that epoch
        uint64_t heard[2] = {};     // exchange, phases of an epoch and the next one, which may be early: by its parity
        uint32_t gathered[2] = {};  // tree: children that have come
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

    ClusterMachine* const machine_;
    const Shape shape_;
    const uint16_t first_kind_;
    const std::function<void(uint32_t)> left_;
    const uint32_t count_;
    const uint32_t phases_;
    std::vector<Node> nodes_;
    uint64_t started_ = 0;
    bool right_ = true;
};

}  // namespace syncline::sim
