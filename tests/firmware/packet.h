// SPDX-License-Identifier: BSD-3-Clause
// Builds the packets and frames that initiators send, and takes replies apart.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "firmware/native.h"

namespace syncline::test {

using Bytes = std::vector<uint8_t>;

struct Request {
    slw_header header{};  // units, data_length and tag are filled in by packet()
    std::vector<slw_unit> units;
    Bytes data;

    static Request from(const fw_config& target, uint16_t rank, uint8_t port, uint8_t slot, uint32_t sequence);

    // Appends an operation; `more` are the words of its second and third unit.
    Request& add(uint32_t code, uint8_t port, uint8_t segment, uint64_t offset, uint64_t operand,
                 std::span<const uint64_t> more = {});

    // Returns the finished packet; with `padded_to` it has trailing bytes, like requests that expect a longer reply.
    Bytes packet(const fw_config& config, size_t padded_to = 0) const;
};

slw_header header_of(std::span<const uint8_t> packet);
std::span<const uint8_t> data_of(std::span<const uint8_t> packet);

// Makes a reply of `config`'s node, or of another node, as it would arrive here.
Bytes reply_packet(const fw_config& config, slw_header header, std::span<const uint8_t> data);

// Makes a frame of Ethernet, IPv4 or IPv6, and UDP from `source_port` to the job's port.
Bytes to_frame(const fw_config& config, std::span<const uint8_t> packet, bool ipv6, uint16_t source_port = 40000);

// Returns the UDP payload of a frame of to_frame()'s kind, cut to UDP's length; nothing if the frame is damaged.
std::optional<Bytes> payload_of(const Bytes& frame);

// Returns whether the checksum of the IPv4 header, if there is one, is right.
bool ip_checksum_fits(const Bytes& frame);

constexpr size_t headers_bytes(bool ipv6) {
    return 14 + (ipv6 ? 40 : 20) + 8;
}

}  // namespace syncline::test
