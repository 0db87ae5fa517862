// SPDX-License-Identifier: BSD-3-Clause
// Carries packets between simulated nodes. It loses, repeats and delays packets, and so reorders them, cuts nodes off,
// and loses packets that are too long for the link at either end.
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
    double late = 0;  // share of packets that take up to `late_ns` instead of `delay_ns`
    uint64_t delay_ns = 5 * ns_per_us;
    uint64_t late_ns = 30 * ns_per_ms;
    // A slow machine executes one packet after the other, each in this time, and has room for this many waiting
    // packets.
    uint64_t execution_ns = 0;
    uint64_t backlog = 1000;
};

struct Packet {
    uint32_t from;  // node
    uint32_t to;
    uint32_t socket;             // the rank whose socket the request came from and the reply goes to
    std::vector<uint8_t> bytes;  // the datagram
    size_t room;                 // bytes that its frame has room for: a NIC shortens a frame, but cannot lengthen it
};

class Network {
  public:
    using Receiver = std::function<void(const Packet&)>;
    // `links`: the longest packet that each node's link carries.
    Network(Scheduler* scheduler, std::vector<uint32_t> links, const NetworkFaults& faults, Receiver receiver)
        : scheduler_(scheduler),
          whole_(std::move(links)),
          faults_(faults),
          cut_(links_.size()),
          busy_until_(links_.size()),
          receiver_(std::move(receiver)) {}

    void send(const Packet& packet);
    // From now on nodes are this slow.
    void set_execution(uint64_t ns) { execution_ns_ = ns; }
    // Cuts the node off, or joins it again: while it is cut off, no packet leaves or reaches it.
    void cut(uint32_t node, bool off) { cut_[node] = off; }
    bool connects(uint32_t from, uint32_t to) const { return from == to || (!cut_[from] && !cut_[to]); }
    bool carries(uint32_t from, uint32_t to, size_t bytes) const { return bytes <= std::min(links_[from], links_[to]); }
    // After `packets` packets, a hop on all paths to the node carries at most packets of `length`.
    struct Shrink {
        uint64_t packets;
        uint32_t node;
        uint32_t length;
    };
    void add_shrink(const Shrink& shrink) { shrinks_.push_back(shrink); }
    uint64_t sent() const { return sent_; }
    uint64_t too_long() const { return too_long_; }  // packets lost as too long, other than on a path that shrank
    uint64_t lost_to_shrink() const { return lost_to_shrink_; }
    size_t longest() const { return longest_; }  // length of the longest packet that got through

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
    std::vector<uint64_t> busy_until_;  // for each slow node: when it is free again
    const Receiver receiver_;
    uint64_t sent_ = 0;
    uint64_t too_long_ = 0;
    uint64_t lost_to_shrink_ = 0;
    size_t longest_ = 0;
};

}  // namespace syncline::deterministic
