// SPDX-License-Identifier: BSD-3-Clause
// Packets between simulated nodes: lost, repeated, delayed and thereby reordered, cut off from a node altogether, and
// too long for the link of an end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/clock.h"
#include "tests/deterministic/scheduler.h"

namespace syncline::deterministic {

struct NetworkFaults {
    double loss = 0;
    double repeat = 0;
    double late = 0;  // packets that take up to `late_ns`, not `delay_ns`
    uint64_t delay_ns = 5 * ns_per_us;
    uint64_t late_ns = 30 * ns_per_ms;
    // A slow machine executes one packet after the other, each for so long, and has room for so many that wait.
    uint64_t execution_ns = 0;
    uint64_t backlog = 1000;
};

struct Packet {
    uint32_t from;  // nodes
    uint32_t to;
    uint32_t socket;             // the rank whose socket the request came from and the reply goes to
    std::vector<uint8_t> bytes;  // of the datagram
    size_t room;                 // in its frame: a NIC shortens a frame, but cannot lengthen it
};

class Network {
  public:
    using Receiver = std::function<void(const Packet&)>;
    // `links`: the longest packet of each node's.
    Network(Scheduler* scheduler, std::vector<uint32_t> links, const NetworkFaults& faults, Receiver receiver)
        : scheduler_(scheduler),
          whole_(std::move(links)),
          faults_(faults),
          cut_(links_.size()),
          busy_until_(links_.size()),
          receiver_(std::move(receiver)) {}

    void send(const Packet& packet);
    // Nodes are as slow as that from now on.
    void set_execution(uint64_t ns) { execution_ns_ = ns; }
    // Nothing leaves or reaches the node any more, or does so again.
    void cut(uint32_t node, bool off) { cut_[node] = off; }
    bool carries(uint32_t from, uint32_t to, size_t bytes) const { return bytes <= std::min(links_[from], links_[to]); }
    // A hop on all ways to the node carries so much at most, from the packet after so many on.
    struct Shrink {
        uint64_t packets;
        uint32_t node;
        uint32_t length;
    };
    void add_shrink(const Shrink& shrink) { shrinks_.push_back(shrink); }
    uint64_t sent() const { return sent_; }
    uint64_t too_long() const { return too_long_; }  // lost because no such packet gets through, unless a path shrank
    uint64_t lost_to_shrink() const { return lost_to_shrink_; }
    size_t longest() const { return longest_; }  // that got through

  private:
    bool is_cut(const Packet& packet) const {
        return packet.from != packet.to && (cut_[packet.from] || cut_[packet.to]);
    }

    void arrive(const Packet& packet);

    Scheduler* const scheduler_;
    const std::vector<uint32_t> whole_;
    std::vector<uint32_t> links_ = whole_;
    std::vector<Shrink> shrinks_;
    bool shrank_ = false;
    const NetworkFaults faults_;
    uint64_t execution_ns_ = faults_.execution_ns;
    std::vector<bool> cut_;
    std::vector<uint64_t> busy_until_;  // of each node, if it is slow
    const Receiver receiver_;
    uint64_t sent_ = 0;
    uint64_t too_long_ = 0;
    uint64_t lost_to_shrink_ = 0;
    size_t longest_ = 0;
};

}  // namespace syncline::deterministic
