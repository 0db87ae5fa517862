// SPDX-License-Identifier: BSD-3-Clause
// Method: five nodes are receivers on loopback addresses, a PE has two sockets. Each node gets the packets for it and
// no others, in any order of sending, and the node that was used longest ago loses its socket.
#include "fabric/packet/node_sockets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include "daemon/addresses.h"
#include "firmware/wire.h"
#include "syncline.h"

namespace syncline::test {
namespace {

constexpr uint32_t nodes = 5;

uint16_t port_of(int fd) {
    sockaddr_in bound = {};
    socklen_t length = sizeof(bound);
    EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &length), 0);
    return ntohs(bound.sin_port);
}

class NodeSocketsTest : public testing::Test {
  protected:
    void SetUp() override {
        job.spec.config.nodes = nodes;
        for (uint32_t node = 0; node < nodes; node++) {
            job.addresses.push_back(NodeAddress::parse(fmt::format("127.0.0.{}", node + 1)));
        }
        receivers.push_back(make_udp_socket(job.addresses[0], 0));
        job.spec.config.udp_port = port_of(receivers[0].get());
        for (uint32_t node = 1; node < nodes; node++) {
            receivers.push_back(make_udp_socket(job.addresses[node], static_cast<uint16_t>(job.spec.config.udp_port)));
        }
    }

    NodeSockets sockets(uint32_t count) {
        std::vector<UniqueFd> fds;
        for (uint32_t i = 0; i < count; i++) {
            fds.push_back(make_udp_socket(NodeAddress::parse("127.0.0.1"), 0));
        }
        return {std::move(fds), job};
    }

    // The first word of the next packet that the node has; 0: none.
    uint64_t received(uint32_t node) {
        uint64_t words[8] = {};
        return ::recv(receivers[node].get(), words, sizeof(words), MSG_DONTWAIT) > 0 ? words[0] : 0;
    }

    Job job;
    std::vector<UniqueFd> receivers;
};

TEST_F(NodeSocketsTest, MoreNodesThanSockets) {
    NodeSockets two = sockets(2);
    uint64_t sent[nodes] = {};
    uint64_t next = 1;
    for (const uint32_t node : {0u, 1u, 2u, 1u, 0u, 4u, 3u, 2u, 2u, 1u, 4u, 0u, 3u}) {
        sent[node] = next++;
        ASSERT_EQ(two.send(node, reinterpret_cast<const uint8_t*>(&sent[node]), 8, 16), SYNCLINE_OK);
        for (uint32_t other = 0; other < nodes; other++) {
            EXPECT_EQ(received(other), other == node ? sent[node] : 0) << "node " << other;
        }
    }
}

TEST_F(NodeSocketsTest, TheOneUsedLongestAgoIsConnectedAnew) {
    NodeSockets two = sockets(2);
    const uint64_t word = 7;
    const auto send = [&](uint32_t node) { return two.send(node, reinterpret_cast<const uint8_t*>(&word), 8, 0); };
    EXPECT_EQ(send(0) | send(1) | send(0), SYNCLINE_OK);
    const int of_zero = two.place_of(0);
    const int of_one = two.place_of(1);
    EXPECT_NE(of_zero, of_one);
    EXPECT_EQ(send(2), SYNCLINE_OK);
    EXPECT_EQ(two.place_of(2), of_one);
    EXPECT_EQ(two.place_of(0), of_zero);
}

// A burst is one call of the kernel for one node, and leaves before a packet to another one.
TEST_F(NodeSocketsTest, BurstsToNodesInTurns) {
    NodeSockets one = sockets(1);
    one.allow_bursts();
    one.begin_burst();
    std::vector<uint64_t> words;
    for (uint64_t i = 1; i <= 12; i++) {
        words.push_back(i);
    }
    for (uint64_t i = 0; i < 12; i++) {
        ASSERT_EQ(one.send(i < 4 ? 1 : i < 8 ? 2 : 1, reinterpret_cast<const uint8_t*>(&words[i]), 8, 64), SYNCLINE_OK);
    }
    one.end_burst();
    for (const uint64_t expected : {1, 2, 3, 4, 9, 10, 11, 12, 0}) {
        EXPECT_EQ(received(1), expected);
    }
    for (const uint64_t expected : {5, 6, 7, 8, 0}) {
        EXPECT_EQ(received(2), expected);
    }
}

TEST_F(NodeSocketsTest, ANodeThatCannotBeReached) {
    job.addresses[3] = NodeAddress::parse("203.0.113.77");  // the sockets are bound to loopback
    NodeSockets one = sockets(1);
    const uint64_t word = 7;
    EXPECT_NE(one.send(3, reinterpret_cast<const uint8_t*>(&word), 8, 0), SYNCLINE_OK);
    EXPECT_EQ(one.send(2, reinterpret_cast<const uint8_t*>(&word), 8, 0), SYNCLINE_OK);
    EXPECT_EQ(received(2), word);
}

}  // namespace
}  // namespace syncline::test
