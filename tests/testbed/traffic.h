// SPDX-License-Identifier: BSD-3-Clause
// Traffic for the test bed tests: kernel sockets inside the nodes' namespaces.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "testbed/testbed.h"

namespace syncline::testbed {

// A UDP socket bound to a node's address, IPv4 or IPv6, with room for a burst of long datagrams. It never fragments.
UniqueFd udp_socket(const Node& node, int family, uint16_t port);
void udp_send(int socket, const Node& to, int family, uint16_t port, const std::string& text);
// Empty when nothing comes within the time.
std::string udp_receive(int socket, int timeout_ms = 1000);
// One datagram each way between every two nodes, IPv4 and IPv6.
void expect_udp_everywhere(const Testbed& bed);
// The longest datagram that an MTU carries unfragmented.
size_t longest_datagram(int mtu, int family);
// Between every two nodes, IPv4 and IPv6, with and without the mark that forbids fragments: the longest datagram that
// both links carry comes whole. One that only the sender's carries does not come, if it is `excess` bytes longer.
void expect_longest_everywhere(const Testbed& bed, size_t excess);
// 64 KiB in one call, which the kernel cuts into datagrams of so many bytes (UDP_SEGMENT).
void expect_segments(const Node& from, const Node& to, size_t bytes);
// A TCP connection that carries `bytes` in one direction and compares them at the other end.
void expect_tcp(const Node& from, const Node& to, int family, size_t bytes);

// The fate of datagrams numbered 0, 1, 2, ... from node `from` to the next one, sent in bursts that no queue
// overflows on.
struct Arrivals {
    std::vector<uint32_t> numbers;  // in the order they came
    uint64_t damaged = 0;           // payload not as sent; number unknown

    uint64_t late() const;  // that came after a greater number
};
struct StreamOptions {
    size_t from = 0;
    uint32_t datagrams = 6000;
    std::vector<size_t> lengths = {64};  // of the payloads, in turn; each at least 8
    bool checksums = true;               // false lets damaged payloads through to the receiver
};
Arrivals stream(const Testbed& bed, const StreamOptions& options);

}  // namespace syncline::testbed
