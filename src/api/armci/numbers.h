// SPDX-License-Identifier: BSD-3-Clause
// The numbers that accumulates add: ARMCI_ACC_*.
#pragma once

#include <cstdint>

namespace syncline::armci {

struct NumberType {
    int element;                        // enum syncline_element
    uint32_t bytes;                     // of an element
    uint32_t alignment;                 // of an element's parts
    bool (*is_one)(const void* scale);  // would scaling change nothing?
    // Multiplies the elements in `bytes` bytes by the scale. Integers wrap around as the machine's do.
    void (*multiply)(uint8_t* elements, uint64_t bytes, const void* scale);
    // to += scale * from, plainly.
    void (*add)(uint8_t* to, const uint8_t* from, uint64_t bytes, const void* scale);
    bool is_integer;

    bool is_aligned(const void* at) const { return reinterpret_cast<uintptr_t>(at) % alignment == 0; }
};

// Refuses a type that does not exist.
const NumberType& number_type(int type);

}  // namespace syncline::armci
