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
    // The words of NIC barrier `id`: BarrierWords in barrier.h.
    static constexpr syncline_address_t barrier(uint32_t id) { return 4096 + uint64_t{id} * 64; }
    // From here to the end of the words: see fence_barrier.cpp.
    static constexpr syncline_address_t counts = 8192;
};

}  // namespace syncline
