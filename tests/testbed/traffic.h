// SPDX-License-Identifier: BSD-3-Clause
// Traffic for the test bed tests: kernel sockets inside the nodes' namespaces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "testbed/testbed.h"

namespace syncline::testbed {

// Returns a UDP socket bound to a node's address, IPv4 or IPv6, with room for a burst of long datagrams. The socket
// never fragments.
UniqueFd udp_socket(const Node& node, int family, uint16_t port);
void udp_send(int socket, const Node& to, int family, uint16_t port, const std::string& text);
// Returns an empty datagram when none comes within the time.
std::string udp_receive(int socket, int timeout_ms = 1000);
// Sends one datagram each way between every two nodes, IPv4 and IPv6.
void expect_udp_everywhere(const Testbed& bed);
// Returns the length of the longest datagram that an MTU carries unfragmented.
size_t longest_datagram(int mtu, int family);
// Checks between every two nodes, IPv4 and IPv6, with and without Don't Fragment, that the longest datagram that both
// links carry arrives whole, and that a datagram that is `excess` bytes longer, and that only the sender's link
// carries, does not arrive.
void expect_longest_everywhere(const Testbed& bed, size_t excess);
// Sends 64 KiB in one call; the kernel cuts them into datagrams of this many bytes (UDP_SEGMENT).
void expect_segments(const Node& from, const Node& to, size_t bytes);
// Makes a TCP connection, sends `bytes` in one direction and compares them at the other end.
void expect_tcp(const Node& from, const Node& to, int family, size_t bytes);

// The fate of datagrams numbered 0, 1, 2, ... from node `from` to the next one, sent in bursts that no queue
// overflows on.
struct Arrivals {
    std::vector<uint32_t> numbers;  // in the order of arrival
    uint64_t damaged = 0;           // count of datagrams whose payload changed; their numbers are unknown

    uint64_t late() const;  // count of datagrams that came after a greater number
};
struct StreamOptions {
    size_t from = 0;
    uint32_t datagrams = 6000;
    std::vector<size_t> lengths = {64};  // lengths of the payloads, used in turn; each at least 8
    bool checksums = true;               // false lets damaged payloads through to the receiver
};
Arrivals stream(const Testbed& bed, const StreamOptions& options);

}  // namespace syncline::testbed
