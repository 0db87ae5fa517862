// SPDX-License-Identifier: BSD-3-Clause
// xdp: the target's NIC executes, and this node's NIC deposits the reply in mapped memory. The process only sends.
#pragma once

#include "fabric/packet/node_sockets.h"
#include "fabric/packet/transport.h"
#include "job/links/attach_point.h"
#include "job/links/veth.h"

namespace syncline {

class XdpTransport final : public Transport {
  public:
    // `interface`: carries the job's packets; empty if the daemon chose it by itself.
    XdpTransport(std::vector<UniqueFd> sockets, const Job& job, std::string interface)
        : sockets_(std::move(sockets), job), interface_(std::move(interface)) {
        sockets_.allow_bursts();
    }

    static constexpr TransportCapabilities own = {
        .name = "xdp", .nic_executed = true, .deposits = true, .pad_gets = true, .retransmit_us = 500};
    const TransportCapabilities& capabilities() const override { return own; }
    int send(uint32_t node, const uint8_t* packet, uint32_t length, uint32_t pad_to) override {
        return sockets_.send(node, packet, length, pad_to);
    }
    void begin_burst() override { sockets_.begin_burst(); }
    void end_burst() override { sockets_.end_burst(); }
    int poll(const Sink&) override { return 0; }
    bool was_too_long(uint32_t node) override { return sockets_.was_too_long(node); }
    std::string trouble() const override {
        const std::string device = attach_point_of(interface_);
        return veth_swallows_answers(device) ? swallowed_answers_text(device) : std::string();
    }

  private:
    NodeSockets sockets_;
    const std::string interface_;
};

}  // namespace syncline
