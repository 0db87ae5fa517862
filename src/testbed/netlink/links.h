// SPDX-License-Identifier: BSD-3-Clause
// The links of a test bed: veth pairs, their offloads, addresses and neighbours, and the bridge.
#pragma once

#include <string>
#include <vector>

#include "testbed/testbed.h"

namespace syncline::testbed {

std::string port_name(size_t port);  // "sw<port>"

// In the switch namespace, where the caller must be: one pair per node, its far end already in the node's
// namespace.
void make_pairs(const std::vector<Node>& nodes);
// In the switch namespace: offloads as below, links up, no addresses of their own.
void start_ports(size_t ports);
// In the switch namespace: its bridge drops a frame that is too long for a port. With bridge netfilter the kernel would
// cut one into fragments.
void forbid_fragments();
// In the switch namespace, with all nodes started: a bridge over all ports, which forwards when this returns.
void make_bridge(size_t ports);
// In the namespace of nodes[self]: lo and eth0 up, addresses, and a permanent neighbour entry for every other
// node.
void start_node(const std::vector<Node>& nodes, size_t self);
// In the namespace of a started node: returns when the kernel has put its IPv6 address to use, which it does
// a moment later, even with duplicate address detection off.
void await_node(const Node& node);
// In the switch namespace: frames that have come in on all ports, by the kernel's own count.
uint64_t received_by_ports();

}  // namespace syncline::testbed
