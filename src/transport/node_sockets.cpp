// SPDX-License-Identifier: BSD-3-Clause
#include "transport/node_sockets.h"

#include <sys/socket.h>

#include <cerrno>

#include "firmware/wire.h"
#include "syncline.h"

namespace syncline {
namespace {

const uint8_t zeros[SLW_PACKET_MAX] = {};

// The network or the peer cannot take it now; what was sent is lost, which retransmission repairs.
bool passing(int error) {
    return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS || error == EINTR || error == ECONNREFUSED ||
           error == ENETUNREACH || error == EHOSTUNREACH || error == ENETDOWN || error == EPERM;
}

}  // namespace

int NodeSockets::send(uint32_t node, const uint8_t* packet, uint32_t length, uint32_t pad_to) const {
    ssize_t sent;
    if (pad_to <= length) {
        sent = ::send(sockets_[node].get(), packet, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    } else {
        iovec parts[2] = {{const_cast<uint8_t*>(packet), length}, {const_cast<uint8_t*>(zeros), pad_to - length}};
        msghdr message = {};
        message.msg_iov = parts;
        message.msg_iovlen = 2;
        sent = ::sendmsg(sockets_[node].get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    if (sent >= 0) {
        return SYNCLINE_OK;
    }
    return passing(errno) ? SYNCLINE_ERR_BUSY : SYNCLINE_ERR_SYSTEM;
}

}  // namespace syncline
