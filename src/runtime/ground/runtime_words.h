// SPDX-License-Identifier: BSD-3-Clause
// The runtime's own words at the start of every symmetric heap (job.h, heap_reserved_bytes). The runtime's requests
// reach them; the user's requests are refused.
#pragma once

#include "syncline.h"

namespace syncline {

struct RuntimeWords {
    static constexpr syncline_address_t broken = 0;  // 1: a PE is gone, and barriers fail
    static constexpr syncline_address_t probe = 64;
    static constexpr syncline_address_t job_barrier_round(uint32_t round) { return 128 + uint64_t{round} * 64; }
    // The words of barrier `id`: see barrier_words.h.
    static constexpr syncline_address_t barrier(uint32_t id) { return 4096 + uint64_t{id} * 64; }
    // Counts of requests (fence_barrier.cpp), in jobs of at most so many PEs.
    static constexpr syncline_address_t counts = 8192;
    static constexpr uint32_t counted_pes = 2048;
    // From here to the end of the words: signals of barriers (barrier_words.h).
    static constexpr syncline_address_t signals = 40960;
};

}  // namespace syncline
