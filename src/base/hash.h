// SPDX-License-Identifier: BSD-3-Clause
// A hash of numbers, which PEs compare instead of the numbers: FNV-1a by words, with the upper half folded in.
#pragma once

#include <cstdint>
#include <span>

namespace syncline {

inline uint64_t hash_of(std::span<const uint64_t> values) {
    uint64_t hash = 14695981039346656037ull;
    for (const uint64_t value : values) {
        hash = (hash ^ value) * 1099511628211ull;
        hash ^= hash >> 32;
    }
    return hash;
}

}  // namespace syncline
