// SPDX-License-Identifier: BSD-3-Clause
// A node's offer to a job that no launcher of ours makes: an address, transports, UDP ports.
#pragma once

#include <string>
#include <vector>

#include "daemon/settings.h"
#include "job/address.h"
#include "job/protocol/daemon_protocol.h"

namespace syncline {

struct Offer {
    NodeOffer head;
    NodeAddress address;
    std::string xdp_obstacle;  // why xdp is not offered; "" if it is
};

// Makes an offer over the first of `interfaces` that this node has, with an address; without a default route, that
// route's interface is loopback, which serves one node. Throws Failure.
Offer make_offer(const std::vector<std::string>& interfaces, const UdpPorts& ports);

// Returns the interface alone, if jobs go over xdp there; else "". Throws Failure.
std::string interface_with_xdp(const std::vector<std::string>& interfaces);

// Returns the address alone. Throws Failure.
NodeAddress offered_address(const std::vector<std::string>& interfaces);

}  // namespace syncline
