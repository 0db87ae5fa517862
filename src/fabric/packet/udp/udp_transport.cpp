// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/udp/udp_transport.h"

#include <sys/socket.h>

#include "firmware/wire.h"

namespace syncline {

namespace {
constexpr int batch = 32;
constexpr uint32_t look_everywhere = 256;  // now and then also at sockets that nothing is expected from
}  // namespace

UdpTransport::UdpTransport(std::vector<UniqueFd> sockets) : sockets_(std::move(sockets)), expected_(sockets_.size()) {}

int UdpTransport::send(uint32_t node, const uint8_t* packet, uint32_t length, uint32_t pad_to) {
    expected_[node]++;
    return sockets_.send(node, packet, length, pad_to);
}

int UdpTransport::poll(const Sink& sink) {
    int count = 0;
    const bool everywhere = ++polls_ % look_everywhere == 0;
    for (uint32_t node = 0; node < sockets_.size(); node++) {
        if (expected_[node] != 0 || everywhere) {
            count += poll_node(node, sink);
        }
    }
    return count;
}

int UdpTransport::poll_node(uint32_t node, const Sink& sink) {
    uint8_t buffer[SLW_PACKET_MAX];
    int count = 0;
    while (count < batch) {
        const ssize_t length = ::recv(sockets_.fd(node), buffer, sizeof(buffer), MSG_DONTWAIT);
        if (length < 0) {
            break;
        }
        expected_[node] -= expected_[node] != 0;
        count++;
        sink(buffer, static_cast<uint32_t>(length));
        if (expected_[node] == 0) {
            break;
        }
    }
    return count;
}

std::vector<int> UdpTransport::wait_fds() const {
    std::vector<int> fds;
    for (uint32_t node = 0; node < sockets_.size(); node++) {
        fds.push_back(sockets_.fd(node));
    }
    return fds;
}

}  // namespace syncline
