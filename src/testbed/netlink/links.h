// SPDX-License-Identifier: BSD-3-Clause
// The links of a test bed: veth pairs, their offloads, addresses and neighbours, and the bridge.
#pragma once

#include <string>
#include <vector>

#include "testbed/testbed.h"

namespace syncline::testbed {

std::string port_name(size_t port);  // "sw<port>"

// Makes one pair per node in the switch namespace, where the caller must be, with its far end already in the node's
// namespace.
void make_pairs(const std::vector<Node>& nodes);
// In the switch namespace: sets offloads as below, and sets links up, without addresses of their own.
void start_ports(size_t ports);
// In the switch namespace: makes its bridge drop a frame that is too long for a port. With bridge netfilter the kernel
// would cut such a frame into fragments.
void forbid_fragments();
// In the switch namespace, with all nodes started: makes a bridge over all ports, which forwards when this returns.
void make_bridge(size_t ports);
// In the namespace of nodes[self]: sets lo and eth0 up, with addresses and a permanent neighbour entry for every other
// node.
void start_node(const std::vector<Node>& nodes, size_t self);
// In the namespace of a started node: returns when the kernel has put its IPv6 address to use, which it does a moment
// later, even with duplicate address detection off.
void await_node(const Node& node);
// In the switch namespace: returns how many frames have come in on all ports, by the kernel's own count.
uint64_t received_by_ports();

}  // namespace syncline::testbed
