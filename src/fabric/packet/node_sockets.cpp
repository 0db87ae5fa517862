// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/node_sockets.h"

#include <linux/udp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "firmware/wire.h"
#include "job/socket_address.h"
#include "syncline.h"

namespace syncline {
namespace {

const uint8_t zeros[SLW_PACKET_MAX] = {};
// The most datagrams into which the network stack cuts a long one.
constexpr size_t held_max = 60;
constexpr size_t held_bytes_max = 65000;

// Returns whether the network or the peer cannot take a packet now: the packet is lost, and retransmission repairs
// that.
bool passing(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS || error == EINTR || error == ECONNREFUSED ||
           error == ENETUNREACH || error == EHOSTUNREACH || error == ENETDOWN || error == EPERM;
}

int status_of(bool sent) {
    if (sent) {
        return SYNCLINE_OK;
    }
    return passing(errno) ? SYNCLINE_ERR_BUSY : SYNCLINE_ERR_SYSTEM;
}

}  // namespace

NodeSockets::NodeSockets(std::vector<UniqueFd> sockets, const Job& job)
    : job_(job), place_of_(job.spec.config.nodes, int16_t{-1}), too_long_(job.spec.config.nodes) {
    for (UniqueFd& fd : sockets) {
        sockets_.push_back({.fd = std::move(fd)});
    }
}

void NodeSockets::allow_bursts() {
    segments_ = true;
}

// A reply to the node that loses its socket may be lost with it; then the request is sent again.
int NodeSockets::connect(uint32_t node) {
    const auto oldest = std::ranges::min_element(sockets_, {}, &Socket::used);
    if (oldest == sockets_.end()) {
        return -1;
    }
    socklen_t length;
    const sockaddr_storage address =
        socket_address(job_.addresses[node], static_cast<uint16_t>(job_.spec.config.udp_port), &length);
    if (::connect(oldest->fd.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) {
        return -1;
    }
    if (oldest->node >= 0) {
        place_of_[static_cast<uint32_t>(oldest->node)] = -1;
    }
    oldest->node = node;
    place_of_[node] = static_cast<int16_t>(oldest - sockets_.begin());
    return place_of_[node];
}

NodeSockets::Socket* NodeSockets::socket_to(uint32_t node) {
    const int place = place_of(node);
    if (place < 0) {
        return nullptr;
    }
    Socket* const socket = &sockets_[static_cast<uint32_t>(place)];
    socket->used = ++turns_;
    return socket;
}

void NodeSockets::set_checks(Socket* socket, bool on) {
    const int none = on ? 0 : 1;
    socket->checks = on;
    (void)::setsockopt(socket->fd.get(), SOL_SOCKET, SO_NO_CHECK, &none, sizeof(none));
    (void)::setsockopt(socket->fd.get(), IPPROTO_UDP, UDP_NO_CHECK6_TX, &none, sizeof(none));
}

// When ICMP has said that an earlier packet was too long, the kernel reports it as an error of the next packet, which
// it does not send. So that packet is sent once more.
bool NodeSockets::send_message(uint32_t node, const Socket& socket, const msghdr& message) {
    for (int tries = 0; tries < 2; tries++) {
        if (::sendmsg(socket.fd.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) {
            return true;
        }
        if (errno != EMSGSIZE) {
            return false;
        }
        too_long_[node] = 1;
    }
    return false;
}

int NodeSockets::send_now(uint32_t node, const Datagram& datagram) {
    Socket* const socket = socket_to(node);
    if (socket == nullptr) {
        return passing(errno) ? SYNCLINE_ERR_BUSY : SYNCLINE_ERR_SYSTEM;
    }
    if (!bursting_ && socket->checks) {
        set_checks(socket, false);
    }
    const auto [packet, length, pad_to] = datagram;
    if (pad_to <= length) {
        if (::send(socket->fd.get(), packet, length, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) {
            return SYNCLINE_OK;
        }
        if (errno != EMSGSIZE) {
            return status_of(false);
        }
        too_long_[node] = 1;
    }
    iovec parts[2] = {{const_cast<uint8_t*>(packet), length}, {const_cast<uint8_t*>(zeros), pad_to - length}};
    msghdr message = {};
    message.msg_iov = parts;
    message.msg_iovlen = pad_to > length ? 2 : 1;
    return status_of(send_message(node, *socket, message));
}

int NodeSockets::send(uint32_t node, const uint8_t* packet, uint32_t length, uint32_t pad_to) {
    const Datagram datagram = {packet, length, std::max(length, pad_to)};
    return bursting_ ? hold(node, datagram) : send_now(node, datagram);
}

// All held datagrams have the length of the first. A datagram that is a little shorter is padded; a much shorter one is
// the last.
int NodeSockets::hold(uint32_t node, const Datagram& datagram) {
    if (!held_.empty() && (node != held_node_ || held_.size() == held_max || datagram.pad_to > held_[0].pad_to ||
                           (held_.size() + 1) * held_[0].pad_to > held_bytes_max)) {
        (void)send_held();
    }
    held_node_ = node;
    held_.push_back(datagram);
    const uint32_t all = held_[0].pad_to;
    if (datagram.pad_to >= all / 4 * 3) {
        held_.back().pad_to = all;
        return SYNCLINE_OK;
    }
    return send_held();
}

// Returns false if the kernel does not do it: it does not know how, or the datagrams are too long for the link. If the
// node cannot be reached, the packets are lost.
bool NodeSockets::send_segmented() {
    Socket* const socket = socket_to(held_node_);
    if (socket == nullptr) {
        return true;
    }
    if (!socket->checks) {
        set_checks(socket, true);
    }
    iovec parts[2 * held_max];
    size_t count = 0;
    for (const Datagram& datagram : held_) {
        parts[count++] = {const_cast<uint8_t*>(datagram.packet), datagram.length};
        if (datagram.pad_to > datagram.length) {
            parts[count++] = {const_cast<uint8_t*>(zeros), datagram.pad_to - datagram.length};
        }
    }
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(uint16_t))] = {};
    msghdr message = {};
    message.msg_iov = parts;
    message.msg_iovlen = count;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = IPPROTO_UDP;
    header->cmsg_type = UDP_SEGMENT;
    header->cmsg_len = CMSG_LEN(sizeof(uint16_t));
    const auto bytes = static_cast<uint16_t>(held_[0].pad_to);
    std::memcpy(CMSG_DATA(header), &bytes, sizeof(bytes));
    return send_message(held_node_, *socket, message) || passing(errno);
}

int NodeSockets::send_held() {
    int status = SYNCLINE_OK;
    const bool several = held_.size() > 1;
    const bool segmented = several && send_segmented();
    if (!segmented) {
        for (const Datagram& datagram : held_) {
            status = send_now(held_node_, datagram);
        }
    }
    if (several && !segmented && too_long_[held_node_] == 0) {
        segments_ = bursting_ = false;
    }
    held_.clear();
    return status;
}

void NodeSockets::end_burst() {
    (void)send_held();
    bursting_ = false;
}

}  // namespace syncline
