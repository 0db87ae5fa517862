// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/udp/udp_transport.h"

#include <sys/socket.h>

#include <cerrno>

#include "firmware/wire.h"

namespace syncline {

namespace {
constexpr int batch = 32;
constexpr uint32_t look_everywhere = 256;  // polls after which to look also at sockets that expect no packet
}  // namespace

UdpTransport::UdpTransport(std::vector<UniqueFd> sockets, const Job& job)
    : sockets_(std::move(sockets), job), expected_(sockets_.size()) {}

int UdpTransport::send(uint32_t node, const uint8_t* packet, uint32_t length, uint32_t pad_to) {
    const int place = sockets_.place_of(node);
    if (place >= 0) {
        expected_[static_cast<uint32_t>(place)]++;
    }
    return sockets_.send(node, packet, length, pad_to);
}

int UdpTransport::poll(const Sink& sink) {
    int count = 0;
    const bool everywhere = ++polls_ % look_everywhere == 0;
    for (uint32_t place = 0; place < sockets_.size(); place++) {
        if (expected_[place] != 0 || everywhere) {
            count += poll_socket(place, sink);
        }
    }
    return count;
}

int UdpTransport::poll_socket(uint32_t place, const Sink& sink) {
    uint8_t buffer[SLW_PACKET_MAX];
    int count = 0;
    while (count < batch) {
        const ssize_t length = ::recv(sockets_.fd(place), buffer, sizeof(buffer), MSG_DONTWAIT);
        if (length < 0 && errno == EMSGSIZE) {
            sockets_.note_too_long(place);
            continue;
        }
        if (length < 0) {
            break;
        }
        expected_[place] -= expected_[place] != 0;
        count++;
        sink(buffer, static_cast<uint32_t>(length));
        if (expected_[place] == 0) {
            break;
        }
    }
    return count;
}

std::vector<int> UdpTransport::wait_fds() const {
    std::vector<int> fds;
    for (uint32_t place = 0; place < sockets_.size(); place++) {
        fds.push_back(sockets_.fd(place));
    }
    return fds;
}

}  // namespace syncline
