// SPDX-License-Identifier: BSD-3-Clause
// Traffic for the test bed tests: kernel sockets inside the nodes' namespaces, and what is left after a test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "testbed/testbed.h"

namespace syncline::testbed {

bool eventually(const std::function<bool()>& condition, int timeout_ms = 5000);

// Programs and maps of switches on this machine, by the name the kernel keeps, and namespaces under
// /run/netns that tests of this process named.
struct Leftovers {
    int programs = 0;
    int maps = 0;
    std::vector<std::string> namespaces;

    bool within(const Leftovers& before) const {
        return programs <= before.programs && maps <= before.maps &&
               namespaces.size() <= before.namespaces.size();
    }
};
Leftovers find_leftovers();
// How tests of this process begin the names of their test beds.
std::string unit_prefix();

// Skips every test with a reason when not root, and checks after each that no namespace, program or map of a
// test bed is left. (It counts, so nobody else may make test beds meanwhile.)
class TestbedTest : public ::testing::Test {
  protected:
    void SetUp() override;
    void TearDown() override;

  private:
    Leftovers before_;
};

// A UDP socket bound to a node's address, IPv4 or IPv6.
UniqueFd udp_socket(const Node& node, int family, uint16_t port);
void udp_send(int socket, const Node& to, int family, uint16_t port, const std::string& text);
// Empty when nothing comes within the time.
std::string udp_receive(int socket, int timeout_ms = 1000);
// One datagram each way between every two nodes, IPv4 and IPv6.
void expect_udp_everywhere(const Testbed& bed);
// A TCP connection that carries `bytes` in one direction and compares them at the other end.
void expect_tcp(const Node& from, const Node& to, int family, size_t bytes);

// What came of datagrams numbered 0, 1, 2, ... from node `from` to the next one, sent in bursts that no queue
// overflows on.
struct Arrivals {
    std::vector<uint32_t> numbers;  // in the order they came
    uint64_t damaged = 0;           // payload not as sent; number unknown

    uint64_t late() const;  // that came after a greater number
};
struct StreamOptions {
    size_t from = 0;
    uint32_t datagrams = 10000;
    std::vector<size_t> lengths = {64};  // of the payloads, in turn; each at least 8
    bool checksums = true;               // false lets damaged payloads through to the receiver
};
Arrivals stream(const Testbed& bed, const StreamOptions& options);

}  // namespace syncline::testbed
