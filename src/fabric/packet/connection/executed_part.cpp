// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/connection/executed_part.h"

#include <cstring>

#include "base/check.h"
#include "fabric/packet/connection/units.h"

namespace syncline {
namespace {

constexpr uint64_t offset_mask = (1ull << SLW_PIECE_SHIFT) - 1;

bool skip_in_range(slw_header* packet, slw_unit* unit, uint32_t bytes) {
    if (bytes >= unit->operand || packet->data_length != unit->operand) {
        return false;
    }
    auto* const data = reinterpret_cast<uint8_t*>(unit + 1);
    const auto left = static_cast<uint32_t>(unit->operand) - bytes;
    SYNCLINE_ASSERT(left != 0 && left < unit->operand, "%u of %lu bytes are left", left, unit->operand);
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
    SYNCLINE_ASSERT(pieces * SLW_PIECE_BYTES + bytes <= packet->data_length, "%u pieces, %u of %u bytes", pieces, bytes,
                    packet->data_length);
    const uint32_t left = packet->data_length - pieces * SLW_PIECE_BYTES - bytes;
    std::memmove(data, data + first * SLW_PIECE_BYTES, listed);
    std::memmove(data + listed, data + pieces * SLW_PIECE_BYTES + bytes, left);
    std::memset(data + listed + left, 0, slw_padded(left) - left);
    unit->operand = pieces - first;
    packet->data_length = static_cast<uint16_t>(listed + left);
    return true;
}

bool is_add(uint32_t code) {
    return (code & ~(SLW_LIST | 3u)) == (SLW_ADD_INT32 & ~3u);
}

// Only the first unit may have data.
bool skip_units(slw_header* packet, slw_unit* units, uint32_t executed) {
    uint32_t skipped = 0;
    while (skipped < executed && skipped < packet->units) {
        if ((units[skipped].code & SLW_PUT) == 0 && (units[skipped].code & SLW_FETCH) != 0) {
            return false;
        }
        skipped += units_of(units[skipped]);
    }
    if (skipped != executed || skipped >= packet->units) {
        return false;
    }
    const uint32_t left = packet->units - skipped;
    std::memmove(units, units + skipped, left * SLW_UNIT_BYTES);
    packet->units = static_cast<uint16_t>(left);
    packet->data_length = 0;
    return true;
}

}  // namespace

bool may_be_partial(const slw_header* packet) {
    const auto* const units = reinterpret_cast<const slw_unit*>(packet + 1);
    for (uint32_t at = 0; at < packet->units; at += units_of(units[at])) {
        const uint32_t code = slw_code_of(&units[at]);
        const uint32_t bulk = code & ~static_cast<uint32_t>(SLW_LIST);
        const bool is_atomic = (units[at].code & SLW_PUT) == 0;
        if (is_atomic ? slw_may_repeat(code, slw_traits_of(code)) != 0
                      : bulk == SLW_ADD_FLOAT || bulk == SLW_ADD_DOUBLE) {
            return true;
        }
    }
    return false;
}

bool skip_executed(slw_header* packet, uint32_t executed) {
    auto* const unit = reinterpret_cast<slw_unit*>(packet + 1);
    if (executed == 0) {
        return true;
    }
    if (!is_add(unit->code)) {
        return skip_units(packet, unit, executed);
    }
    const uint32_t bytes = executed * ((unit->code & 1) != 0 ? 8 : 4);
    return (unit->code & SLW_LIST) != 0 ? skip_in_list(packet, unit, bytes) : skip_in_range(packet, unit, bytes);
}

}  // namespace syncline
