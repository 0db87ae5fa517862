// SPDX-License-Identifier: BSD-3-Clause
// Method: a UDP port that is taken is reported with the remedy; the interface of an address is found.
#include "daemon/addresses.h"
#include "job/socket_address.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include "base/failure.h"

namespace syncline {
namespace {

TEST(UdpSocket, Address) {
    socklen_t length = 0;
    sockaddr_storage storage = socket_address(NodeAddress::parse("10.1.2.3"), 4096, &length);
    const auto* const v4 = reinterpret_cast<const sockaddr_in*>(&storage);
    EXPECT_EQ(length, sizeof(*v4));
    EXPECT_EQ(v4->sin_family, AF_INET);
    EXPECT_EQ(v4->sin_port, htons(4096));
    EXPECT_EQ(v4->sin_addr.s_addr, htonl(0x0A010203));
    storage = socket_address(NodeAddress::parse("fd00::1:2"), 65535, &length);
    const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(&storage);
    EXPECT_EQ(length, sizeof(*v6));
    EXPECT_EQ(v6->sin6_port, 65535);
    EXPECT_EQ(v6->sin6_addr.s6_addr[0], 0xFD);
    EXPECT_EQ(v6->sin6_addr.s6_addr[15], 2);
}

TEST(UdpSocket, InterfaceOfLoopback) {
    EXPECT_EQ(interface_of(NodeAddress::parse("127.0.0.1")), "lo");
    EXPECT_EQ(interface_of(NodeAddress::parse("203.0.113.77")), "");
}

uint16_t port_of(int fd) {
    sockaddr_in bound = {};
    socklen_t length = sizeof(bound);
    EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &length), 0);
    return ntohs(bound.sin_port);
}

TEST(UdpSocket, ATakenPortIsReportedWithTheRemedy) {
    const NodeAddress loopback = NodeAddress::parse("127.0.0.1");
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
    EXPECT_THROW(make_udp_socket(NodeAddress::parse("203.0.113.77"), 0), Failure);
    EXPECT_THROW(make_udp_socket(NodeAddress(), 0), Failure);
}

}  // namespace
}  // namespace syncline
