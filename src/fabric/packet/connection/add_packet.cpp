// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/connection/add_packet.h"

#include <cstring>

namespace syncline {
namespace {

constexpr uint64_t offset_mask = (1ull << SLW_PIECE_SHIFT) - 1;

bool skip_in_range(slw_header* packet, slw_unit* unit, uint32_t bytes) {
    if (bytes >= unit->operand || packet->data_length != unit->operand) {
        return false;
    }
    auto* const data = reinterpret_cast<uint8_t*>(unit + 1);
    const auto left = static_cast<uint32_t>(unit->operand) - bytes;
    const uint64_t offset = (uint64_t{unit->offset_high} << 32 | unit->offset_low) + bytes;
    unit->offset_high = static_cast<uint8_t>(offset >> 32);
    unit->offset_low = static_cast<uint32_t>(offset);
    unit->operand = left;
    std::memmove(data, data + bytes, left);
    std::memset(data + left, 0, slw_padded(left) - left);
    packet->data_length = static_cast<uint16_t>(left);
    return true;
}

// Takes the finished pieces off the list, and shortens the first one that is not finished.
bool skip_in_list(slw_header* packet, slw_unit* unit, uint32_t bytes) {
    auto* const data = reinterpret_cast<uint8_t*>(unit + 1);
    const auto pieces = static_cast<uint32_t>(unit->operand);
    uint32_t first = 0;
    uint32_t rest = bytes;
    uint64_t piece = 0;
    for (; first < pieces; first++) {
        std::memcpy(&piece, data + first * SLW_PIECE_BYTES, sizeof(piece));
        if (piece >> SLW_PIECE_SHIFT > rest) {
            break;
        }
        rest -= static_cast<uint32_t>(piece >> SLW_PIECE_SHIFT);
    }
    if (first == pieces) {
        return false;
    }
    piece = ((piece & offset_mask) + rest) | ((piece >> SLW_PIECE_SHIFT) - rest) << SLW_PIECE_SHIFT;
    std::memcpy(data + first * SLW_PIECE_BYTES, &piece, sizeof(piece));
    const uint32_t listed = (pieces - first) * SLW_PIECE_BYTES;
    const uint32_t left = packet->data_length - pieces * SLW_PIECE_BYTES - bytes;
    std::memmove(data, data + first * SLW_PIECE_BYTES, listed);
    std::memmove(data + listed, data + pieces * SLW_PIECE_BYTES + bytes, left);
    std::memset(data + listed + left, 0, slw_padded(left) - left);
    unit->operand = pieces - first;
    packet->data_length = static_cast<uint16_t>(listed + left);
    return true;
}

}  // namespace

bool skip_elements(slw_header* packet, uint32_t elements) {
    auto* const unit = reinterpret_cast<slw_unit*>(packet + 1);
    if (elements == 0 || (unit->code & ~(SLW_LIST | 3u)) != (SLW_ADD_INT32 & ~3u)) {
        return elements == 0;
    }
    const uint32_t bytes = elements * ((unit->code & 1) != 0 ? 8 : 4);
    return (unit->code & SLW_LIST) != 0 ? skip_in_list(packet, unit, bytes) : skip_in_range(packet, unit, bytes);
}

}  // namespace syncline
