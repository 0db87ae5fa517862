// SPDX-License-Identifier: BSD-3-Clause
#include "packet.h"

#include <algorithm>
#include <cstring>

namespace syncline::test {
namespace {

void put_big16(uint8_t* at, size_t value) {
    at[0] = static_cast<uint8_t>(value >> 8);
    at[1] = static_cast<uint8_t>(value);
}

size_t big16(const uint8_t* at) {
    return static_cast<size_t>(at[0]) << 8 | at[1];
}

uint32_t ip_sum(const uint8_t* ip) {
    uint32_t sum = 0;
    for (size_t i = 0; i < 20; i += 2) {
        sum += static_cast<uint32_t>(big16(ip + i));
    }
    while (sum >> 16 != 0) {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

void write_ip4(uint8_t* ip, size_t udp_bytes) {
    ip[0] = 0x45;
    put_big16(ip + 2, 20 + udp_bytes);
    ip[6] = 0x40;  // do not fragment
    ip[8] = 63;
    ip[9] = 17;
    const uint8_t addresses[8] = {10, 1, 0, 1, 10, 1, 0, 2};
    std::memcpy(ip + 12, addresses, sizeof addresses);
    put_big16(ip + 10, ~ip_sum(ip) & 0xffff);
}

void write_ip6(uint8_t* ip, size_t udp_bytes) {
    ip[0] = 0x60;
    put_big16(ip + 4, udp_bytes);
    ip[6] = 17;
    ip[7] = 63;
    for (uint8_t i = 0; i < 32; i++) {
        ip[8 + i] = static_cast<uint8_t>(0xf0 + i);
    }
}

}  // namespace

Request Request::from(const fw_config& target, uint16_t rank, uint8_t port, uint8_t slot, uint32_t sequence) {
    Request request;
    request.header.magic = SLW_MAGIC;
    request.header.version = SLW_VERSION;
    request.header.kind = SLW_REQUEST;
    request.header.source_port = port;
    request.header.source_rank = rank;
    request.header.slot = slot;
    request.header.job = target.job;
    request.header.sequence = sequence;
    request.header.target_node = static_cast<uint16_t>(target.node);
    return request;
}

Request& Request::add(uint32_t code, uint8_t port, uint8_t segment, uint64_t offset, uint64_t operand,
                      std::span<const uint64_t> more) {
    slw_unit unit{};
    unit.code = static_cast<uint8_t>(code);
    unit.port = port;
    unit.segment = static_cast<uint8_t>(segment | code >> 16);
    unit.offset_high = static_cast<uint8_t>(offset >> 32);
    unit.offset_low = static_cast<uint32_t>(offset);
    unit.operand = operand;
    units.push_back(unit);
    for (size_t i = 0; i < more.size(); i += 2) {
        const uint64_t words[2] = {more[i], i + 1 < more.size() ? more[i + 1] : 0};
        std::memcpy(&units.emplace_back(), words, sizeof words);
    }
    return *this;
}

Bytes Request::packet(const fw_config& config, size_t padded_to) const {
    slw_header finished = header;
    finished.units = static_cast<uint16_t>(units.size());
    finished.data_length = static_cast<uint16_t>(data.size());
    const size_t data_at = SLW_HEADER_BYTES + units.size() * SLW_UNIT_BYTES;
    Bytes packet(std::max(data_at + slw_padded(finished.data_length), padded_to));
    std::memcpy(packet.data(), &finished, sizeof finished);
    if (!units.empty()) {
        std::memcpy(packet.data() + SLW_HEADER_BYTES, units.data(), units.size() * SLW_UNIT_BYTES);
    }
    std::copy(data.begin(), data.end(), packet.begin() + static_cast<ptrdiff_t>(data_at));
    fw_seal(&config, packet.data());
    return packet;
}

slw_header header_of(std::span<const uint8_t> packet) {
    slw_header header{};
    std::memcpy(&header, packet.data(), std::min(packet.size(), sizeof header));
    return header;
}

std::span<const uint8_t> data_of(std::span<const uint8_t> packet) {
    const slw_header header = header_of(packet);
    return packet.subspan(SLW_HEADER_BYTES + header.units * SLW_UNIT_BYTES, header.data_length);
}

Bytes reply_packet(const fw_config& config, slw_header header, std::span<const uint8_t> data) {
    header.kind = SLW_REPLY;
    header.units = 0;
    header.data_length = static_cast<uint16_t>(data.size());
    Bytes packet(SLW_HEADER_BYTES + slw_padded(header.data_length));
    std::memcpy(packet.data(), &header, sizeof header);
    std::copy(data.begin(), data.end(), packet.begin() + SLW_HEADER_BYTES);
    fw_seal(&config, packet.data());
    return packet;
}

Bytes to_frame(const fw_config& config, std::span<const uint8_t> packet, bool ipv6, uint16_t source_port) {
    const size_t udp_bytes = 8 + packet.size();
    Bytes frame(headers_bytes(ipv6) + packet.size());
    const uint8_t addresses[12] = {2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1};
    std::memcpy(frame.data(), addresses, sizeof addresses);
    put_big16(frame.data() + 12, ipv6 ? 0x86dd : 0x0800);
    if (ipv6) {
        write_ip6(frame.data() + 14, udp_bytes);
    } else {
        write_ip4(frame.data() + 14, udp_bytes);
    }
    uint8_t* udp = frame.data() + headers_bytes(ipv6) - 8;
    put_big16(udp, source_port);
    put_big16(udp + 2, config.udp_port);
    put_big16(udp + 4, udp_bytes);
    put_big16(udp + 6, 0xbeef);  // the firmware does not look at it
    std::copy(packet.begin(), packet.end(), udp + 8);
    return frame;
}

std::optional<Bytes> payload_of(const Bytes& frame) {
    if (frame.size() < headers_bytes(false)) {
        return std::nullopt;
    }
    const size_t at = headers_bytes(frame[12] == 0x86);
    if (frame.size() < at) {
        return std::nullopt;
    }
    const size_t udp_bytes = big16(frame.data() + at - 4);
    if (udp_bytes < 8 || udp_bytes - 8 > frame.size() - at) {
        return std::nullopt;
    }
    return Bytes(frame.begin() + static_cast<ptrdiff_t>(at),
                 frame.begin() + static_cast<ptrdiff_t>(at + udp_bytes - 8));
}

bool ip_checksum_fits(const Bytes& frame) {
    return frame[12] == 0x86 || ip_sum(frame.data() + 14) == 0xffff;
}

}  // namespace syncline::test
