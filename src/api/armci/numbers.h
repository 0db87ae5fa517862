// SPDX-License-Identifier: BSD-3-Clause
// The types of numbers that accumulates add: ARMCI_ACC_*.
#pragma once

#include <cstdint>

namespace syncline::armci {

struct NumberType {
    int element;                        // enum syncline_element
    uint32_t bytes;                     // size of an element
    uint32_t alignment;                 // alignment of an element's parts
    bool (*is_one)(const void* scale);  // returns whether scaling changes nothing
    // Multiplies the elements in `bytes` bytes by the scale. Integers wrap around as the machine's do.
    void (*multiply)(uint8_t* elements, uint64_t bytes, const void* scale);
    // Computes to += scale * from, not atomically.
    void (*add)(uint8_t* to, const uint8_t* from, uint64_t bytes, const void* scale);
    bool is_integer;

    bool is_aligned(const void* at) const { return reinterpret_cast<uintptr_t>(at) % alignment == 0; }
};

// Returns the type; refuses a type that does not exist.
const NumberType& number_type(int type);

}  // namespace syncline::armci
