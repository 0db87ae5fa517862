// SPDX-License-Identifier: BSD-3-Clause
// Method: good addresses survive a round trip, bad ones are refused by name; a UDP port that is taken is reported with
// the remedy; the interface of an address is found.
#include "daemon/addresses.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include "base/failure.h"

namespace syncline {
namespace {

TEST(NodeAddress, RoundTrip) {
    for (const char* const text : {"127.0.0.1", "10.77.0.255", "0.0.0.0", "255.255.255.255", "::1", "fd00::2",
                                   "::", "2001:db8::ffff:1", "::ffff:192.0.2.1"}) {
        const NodeAddress address = parse_node_address(text);
        EXPECT_EQ(address.family, std::string(text).find(':') == std::string::npos ? AF_INET : AF_INET6);
        EXPECT_EQ(format_node_address(address), text);
    }
}

TEST(NodeAddress, NonsenseIsNamed) {
    for (const char* const text : {"", " ", "127.0.0", "127.0.0.256", "127.0.0.1 ", "127.0.0.1:80", "localhost",
                                   ":::", "fd00::2/64", "fe80::1%lo", "[::1]", "1234", "12345::", "0x7f.0.0.1"}) {
        try {
            parse_node_address(text);
            ADD_FAILURE() << "'" << text << "' was taken";
        } catch (const Failure& failure) {
            EXPECT_EQ(failure.status(), SYNCLINE_ERR_INVALID);
            EXPECT_NE(std::string(failure.what()).find("'" + std::string(text) + "'"), std::string::npos);
        }
    }
}

TEST(NodeAddress, SocketAddress) {
    socklen_t length = 0;
    sockaddr_storage storage = socket_address(parse_node_address("10.1.2.3"), 4096, &length);
    const auto* const v4 = reinterpret_cast<const sockaddr_in*>(&storage);
    EXPECT_EQ(length, sizeof(*v4));
    EXPECT_EQ(v4->sin_family, AF_INET);
    EXPECT_EQ(v4->sin_port, htons(4096));
    EXPECT_EQ(v4->sin_addr.s_addr, htonl(0x0A010203));
    storage = socket_address(parse_node_address("fd00::1:2"), 65535, &length);
    const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(&storage);
    EXPECT_EQ(length, sizeof(*v6));
    EXPECT_EQ(v6->sin6_port, 65535);
    EXPECT_EQ(v6->sin6_addr.s6_addr[0], 0xFD);
    EXPECT_EQ(v6->sin6_addr.s6_addr[15], 2);
}

TEST(NodeAddress, InterfaceOfLoopback) {
    EXPECT_EQ(interface_of(parse_node_address("127.0.0.1")), "lo");
    EXPECT_EQ(interface_of(parse_node_address("203.0.113.77")), "");
}

uint16_t port_of(int fd) {
    sockaddr_in bound = {};
    socklen_t length = sizeof(bound);
    EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &length), 0);
    return ntohs(bound.sin_port);
}

TEST(UdpSocket, ATakenPortIsReportedWithTheRemedy) {
    const NodeAddress loopback = parse_node_address("127.0.0.1");
    const UniqueFd first = make_udp_socket(loopback, 0);
    const uint16_t port = port_of(first.get());
    ASSERT_NE(port, 0);
    try {
        make_udp_socket(loopback, port);
        FAIL() << "the port was given twice";
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.status(), SYNCLINE_ERR_BUSY);
        EXPECT_NE(std::string(failure.what()).find(std::to_string(port)), std::string::npos);
        EXPECT_NE(std::string(failure.what()).find("--udp-port"), std::string::npos);
    }
}

TEST(UdpSocket, AnAddressOfAnotherMachineIsAnError) {
    EXPECT_THROW(make_udp_socket(parse_node_address("203.0.113.77"), 0), Failure);
    NodeAddress nonsense = parse_node_address("127.0.0.1");
    nonsense.family = 12345;
    EXPECT_THROW(make_udp_socket(nonsense, 0), Failure);
}

}  // namespace
}  // namespace syncline
