// SPDX-License-Identifier: BSD-3-Clause
// A node's offer to a job that no launcher of ours makes: an address, transports, UDP ports.
#pragma once

#include <string>

#include "job/address.h"
#include "job/daemon_protocol.h"

namespace syncline {

struct Offer {
    NodeOffer head;
    NodeAddress address;
    std::string xdp_obstacle;  // why xdp is not offered; "" where it is
};

// `interface`: that jobs go over; empty: the one with the default route, and without one loopback, which serves one
// node. Throws Failure.
Offer make_offer(const std::string& interface);

// The address alone. Throws Failure.
NodeAddress offered_address(const std::string& interface);

}  // namespace syncline
