// SPDX-License-Identifier: BSD-3-Clause
// udp: an agent thread on the target node executes, and the process reads the replies from its own sockets. It is the
// fallback where there is no XDP, and the papers' host-based baseline.
#pragma once

#include "fabric/packet/node_sockets.h"
#include "fabric/packet/transport.h"

namespace syncline {

class UdpTransport final : public Transport {
  public:
    UdpTransport(std::vector<UniqueFd> sockets, const Job& job);

    static constexpr TransportCapabilities own = {
        .name = "udp", .nic_executed = false, .deposits = false, .pad_gets = false, .retransmit_us = 2000};
    const TransportCapabilities& capabilities() const override { return own; }
    int send(uint32_t node, const uint8_t* packet, uint32_t length, uint32_t pad_to) override;
    int tell(uint32_t node, const uint8_t* packet, uint32_t length) override {
        return sockets_.send(node, packet, length, 0);
    }
    int poll(const Sink& sink) override;
    bool was_too_long(uint32_t node) override { return sockets_.was_too_long(node); }
    std::vector<int> wait_fds() const override;

  private:
    int poll_socket(uint32_t place, const Sink& sink);

    NodeSockets sockets_;
    uint32_t polls_ = 0;
    std::vector<uint32_t> expected_;  // for each socket: packets sent less packets received, to know which to look at
};

}  // namespace syncline
