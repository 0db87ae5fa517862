// SPDX-License-Identifier: BSD-3-Clause
// One connected UDP socket per node, as the daemon hands them out: what udp and xdp send with.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <vector>

#include "base/unique_fd.h"

namespace syncline {

class NodeSockets {
  public:
    explicit NodeSockets(std::vector<UniqueFd> sockets) : sockets_(std::move(sockets)) {}

    // As in Transport. A burst of datagrams of one length goes through the kernel's stack as one (UDP_SEGMENT), for
    // which they need checksums; a NIC that is XDP on a veth sees them unfinished. So bursts are only for a transport
    // whose receivers do not look at checksums. A datagram outside of bursts has none, which saves the stack some work.
    int send(uint32_t node, const uint8_t* packet, uint32_t length, uint32_t pad_to);
    void allow_bursts();
    void begin_burst() { bursting_ = segments_; }
    void end_burst();

    uint32_t size() const { return static_cast<uint32_t>(sockets_.size()); }
    int fd(uint32_t node) const { return sockets_[node].get(); }

  private:
    struct Datagram {
        const uint8_t* packet;
        uint32_t length;
        uint32_t pad_to;
    };

    int send_now(uint32_t node, const Datagram& datagram);
    void set_checks(uint32_t node, bool on);
    int hold(uint32_t node, const Datagram& datagram);
    int send_held();
    bool send_segmented();

    std::vector<UniqueFd> sockets_;
    bool segments_ = false;  // bursts are allowed, and the kernel can
    bool bursting_ = false;
    std::vector<bool> checks_;  // by node: its socket makes checksums; empty: bursts are not allowed
    uint32_t held_node_ = 0;
    std::vector<Datagram> held_;
};

}  // namespace syncline
