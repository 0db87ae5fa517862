// SPDX-License-Identifier: BSD-3-Clause
// A node's address, of the kind that the job's network has: a kind and some bytes, which only the network's own code
// interprets. A new kind needs an enumerator here and a row of the table in address.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace syncline {

enum class AddressKind : uint8_t {
    kNone = 0,  // in a job of one process, to which no packet is sent
    kIp4 = 1,   // 4 bytes in network order; the UDP port is the job's
    kIp6 = 2,   // 16 bytes in network order; the UDP port is the job's
};

class NodeAddress {
  public:
    static constexpr size_t bytes_max = 64;

    NodeAddress() = default;
    // Throws Failure unless addresses of that kind are known, and have that length.
    NodeAddress(AddressKind kind, std::span<const uint8_t> bytes);
    // Reads an address that users or test beds write: IPv4 or IPv6. Throws Failure.
    static NodeAddress parse(const std::string& text);

    AddressKind kind() const { return kind_; }
    std::span<const uint8_t> bytes() const { return std::span(bytes_).first(length_); }
    std::string text() const;

    bool operator==(const NodeAddress& other) const = default;

  private:
    AddressKind kind_ = AddressKind::kNone;
    uint8_t length_ = 0;
    std::array<uint8_t, bytes_max> bytes_ = {};  // zeros behind `length_`
};

}  // namespace syncline
