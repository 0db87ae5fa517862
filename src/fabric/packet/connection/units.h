// SPDX-License-Identifier: BSD-3-Clause
// Operations as units of a request.
#pragma once

#include <cstdint>
#include <cstring>

#include "fabric/fabric.h"

namespace syncline {

inline void fill_unit(slw_unit* unit, uint32_t code, uint32_t port, syncline_address_t address, uint64_t operand) {
    const uint64_t segment = address >> 40;
    const uint64_t words[2] = {code | port << 8 | segment << 16 | (address >> 32 & 255) << 24 | address << 32, operand};
    std::memcpy(unit, words, sizeof(words));  // copies a slw_unit by two stores
}

// Returns the units that the operation takes whose first one this is.
inline uint32_t units_of(const slw_unit& unit) {
    const uint32_t code = slw_code_of(&unit);
    return (code & SLW_PUT) != 0 ? 1 : slw_units_of(code, slw_traits_of(code));
}

// Writes all units of an atomic, at `unit`.
inline void fill_atomic(slw_unit* unit, const AtomicCall& call, uint32_t port) {
    const auto code = static_cast<uint32_t>(call.operation);
    fill_unit(unit, code, port, call.target, call.operand[0]);
    if (call.width() == 16) {
        const slw_extra high = {call.operand[1], 0};
        std::memcpy(unit + 1, &high, sizeof(high));
        if (call.compares()) {
            const slw_comparand comparand = {call.comparand[0], call.comparand[1]};
            std::memcpy(unit + 2, &comparand, sizeof(comparand));
        }
    } else if (call.compares()) {
        const slw_extra extra = {call.comparand[0], 0};
        std::memcpy(unit + 1, &extra, sizeof(extra));
    }
}

// Writes a packet's data: two parts, one behind the other, and zeros up to a whole word.
inline void fill_data(slw_header* header, uint32_t units, const void* first, uint32_t first_bytes, const void* second,
                      uint32_t second_bytes) {
    auto* const data = reinterpret_cast<uint8_t*>(header + 1) + units * SLW_UNIT_BYTES;
    const uint32_t bytes = first_bytes + second_bytes;
    if (first_bytes != 0) {
        std::memcpy(data, first, first_bytes);
    }
    if (second_bytes != 0) {
        std::memcpy(data + first_bytes, second, second_bytes);
    }
    std::memset(data + bytes, 0, slw_padded(bytes) - bytes);
    header->units = static_cast<uint16_t>(units);
    header->data_length = static_cast<uint16_t>(bytes);
}

}  // namespace syncline
