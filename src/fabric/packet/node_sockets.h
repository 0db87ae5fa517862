// SPDX-License-Identifier: BSD-3-Clause
// The UDP sockets that the daemon hands out, by which udp and xdp send.
//
// A connected socket spares the kernel a look-up of the route for each packet (0.36 of 2.8 us). So each node with which
// this PE communicates has a socket of its own, as long as there are some; then the socket that has been unused for
// longest is connected anew.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "job/job.h"

namespace syncline {

class NodeSockets {
  public:
    // `job` outlives the object.
    NodeSockets(std::vector<UniqueFd> sockets, const Job& job);

    // As in Transport. A burst of datagrams of one length goes through the kernel's stack as one (UDP_SEGMENT), for
    // which they need checksums; a NIC that is XDP on a veth sees these unfinished. So bursts are only for a transport
    // whose receivers do not check checksums. A datagram outside of bursts has no checksum, which saves the stack some
    // work.
    int send(uint32_t node, const uint8_t* packet, uint32_t length, uint32_t pad_to);
    void allow_bursts();
    void begin_burst() { bursting_ = segments_; }
    void end_burst();

    // As in Transport. note_too_long(): the kernel has reported it at this socket.
    bool was_too_long(uint32_t node) { return std::exchange(too_long_[node], uint8_t{0}) != 0; }
    void note_too_long(uint32_t place) {
        if (sockets_[place].node >= 0) {
            too_long_[static_cast<uint32_t>(sockets_[place].node)] = 1;
        }
    }

    uint32_t size() const { return static_cast<uint32_t>(sockets_.size()); }
    int fd(uint32_t place) const { return sockets_[place].fd.get(); }
    // Returns the index of the socket that is connected to the node from now on; -1: the node cannot be reached now.
    int place_of(uint32_t node) {
        const int place = place_of_[node];
        return __builtin_expect(place >= 0, 1) ? place : connect(node);
    }

  private:
    struct Datagram {
        const uint8_t* packet;
        uint32_t length;
        uint32_t pad_to;
    };

    struct Socket {
        UniqueFd fd;
        int64_t node = -1;    // the node that it is connected to
        bool checks = false;  // it makes checksums
        uint64_t used = 0;    // the value of turns_ at its last use
    };

    int connect(uint32_t node);
    // NULL if the node cannot be reached.
    Socket* socket_to(uint32_t node);
    bool send_message(uint32_t node, const Socket& socket, const msghdr& message);
    int send_now(uint32_t node, const Datagram& datagram);
    static void set_checks(Socket* socket, bool on);
    int hold(uint32_t node, const Datagram& datagram);
    int send_held();
    bool send_segmented();

    const Job& job_;
    std::vector<Socket> sockets_;
    std::vector<int16_t> place_of_;  // for each node: the index of the socket that is connected to it, or -1
    std::vector<uint8_t> too_long_;  // for each node
    uint64_t turns_ = 0;
    bool segments_ = false;  // bursts are allowed, and the kernel supports them
    bool bursting_ = false;
    uint32_t held_node_ = 0;
    std::vector<Datagram> held_;
};

}  // namespace syncline
