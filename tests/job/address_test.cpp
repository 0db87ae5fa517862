// SPDX-License-Identifier: BSD-3-Clause
// Method: good addresses survive a round trip through text and through bytes; bad ones are refused by name.
#include "job/address.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/failure.h"

namespace syncline {
namespace {

TEST(NodeAddress, RoundTrip) {
    for (const char* const text : {"127.0.0.1", "10.77.0.255", "0.0.0.0", "255.255.255.255", "::1", "fd00::2",
                                   "::", "2001:db8::ffff:1", "::ffff:192.0.2.1"}) {
        const NodeAddress address = NodeAddress::parse(text);
        const bool is_ip6 = std::string(text).find(':') != std::string::npos;
        EXPECT_EQ(address.kind(), is_ip6 ? AddressKind::kIp6 : AddressKind::kIp4);
        EXPECT_EQ(address.bytes().size(), is_ip6 ? 16u : 4u);
        EXPECT_EQ(address.text(), text);
        EXPECT_EQ(NodeAddress(address.kind(), address.bytes()), address);
    }
}

TEST(NodeAddress, NonsenseIsNamed) {
    for (const char* const text : {"", " ", "127.0.0", "127.0.0.256", "127.0.0.1 ", "127.0.0.1:80", "localhost",
                                   ":::", "fd00::2/64", "fe80::1%lo", "[::1]", "1234", "12345::", "0x7f.0.0.1"}) {
        try {
            NodeAddress::parse(text);
            ADD_FAILURE() << "'" << text << "' was taken";
        } catch (const Failure& failure) {
            EXPECT_EQ(failure.status(), SYNCLINE_ERR_INVALID);
            EXPECT_NE(std::string(failure.what()).find("'" + std::string(text) + "'"), std::string::npos);
        }
    }
}

TEST(NodeAddress, KindsAndLengths) {
    const std::vector<uint8_t> bytes(256, 1);
    for (const int kind : {0, 1, 2, 3, 4, 127, 128, 255}) {
        for (size_t length = 0; length < bytes.size(); length++) {
            const auto made = [&] { return NodeAddress(AddressKind(kind), std::span(bytes).first(length)); };
            if ((kind == 1 && length == 4) || (kind == 2 && length == 16)) {
                EXPECT_EQ(made().bytes().size(), length);
            } else {
                EXPECT_THROW(made(), Failure) << kind << ", " << length;
            }
        }
    }
    EXPECT_EQ(NodeAddress().text(), "?");
}

}  // namespace
}  // namespace syncline
