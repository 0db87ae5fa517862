// SPDX-License-Identifier: BSD-3-Clause
// The UDP sockets of processes and agents, at the IP addresses of nodes.
#pragma once

#include <string>

#include "base/unique_fd.h"
#include "job/job.h"

namespace syncline {

// Makes a UDP socket bound to `address`:`port` (0: any port). It sends without UDP checksum, because the packet's tag
// covers more, and without IP fragments: a packet that is too long for the path is lost. Throws Failure, with the
// remedy if the port is taken.
UniqueFd make_udp_socket(const NodeAddress& address, uint16_t port);

// Sends a datagram from an unconnected socket to a node of the job; returns false if it could not go out now.
bool send_to_node(int socket, const Job& job, uint32_t node, const uint8_t* packet, size_t length);

// Returns the MTU of an interface; 0 if there is none of that name.
uint32_t mtu_of(const std::string& interface);
// Returns the longest packet that jobs can send over that interface. Throws Failure.
uint32_t longest_packet_over(const std::string& interface);

// Returns the interface that has this address, or "".
std::string interface_of(const NodeAddress& address);

}  // namespace syncline
