// SPDX-License-Identifier: BSD-3-Clause
// For PEs that measure: a status that is an error ends the measurement, and data that is neither zero nor regular.
#pragma once

#include <syncline.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/failure.h"

namespace syncline::bench {

// Throws Failure with the library's sentence if the status of a call is an error.
inline void must(int status) {
    if (status < 0) {
        fail(status, "{}", syncline_last_error());
    }
}

// The nanoseconds between two times, as a sample has them: 4.2 s at most.
inline uint32_t sample(uint64_t from, uint64_t to) {
    return static_cast<uint32_t>(std::min<uint64_t>(to - from, UINT32_MAX));
}

// Marsaglia's xorshift64: a few cycles, so that it does not count among the operations. The state is not 0.
inline uint64_t next_random(uint64_t* state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

// So many pseudo-random bytes of that seed.
inline std::vector<uint8_t> random_bytes(size_t count, uint64_t seed) {
    std::vector<uint8_t> bytes(count);
    uint64_t random = seed | 1;
    for (uint8_t& byte : bytes) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        byte = static_cast<uint8_t>(random >> 56);
    }
    return bytes;
}

}  // namespace syncline::bench
