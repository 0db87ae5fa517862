// SPDX-License-Identifier: BSD-3-Clause
// A member's words of one barrier number, in the runtime's part of its heap (docs/PROTOCOL.md, "The runtime's words").
#pragma once

#include <bit>
#include <cstdint>

#include "runtime/ground/runtime_words.h"

namespace syncline {

// As offsets behind RuntimeWords::barrier(). The leader is the first member.
struct BarrierWords {
    static constexpr uint64_t announced = 0;  // at the leader: instance << 32 | digest; the leader writes it last
    static constexpr uint64_t base = 8;       // at the leader: the value of `closed` when this instance opened
    static constexpr uint64_t closed = 16;    // at the leader: how many members have closed, all instances together
    static constexpr uint64_t choice = 24;    // at the leader: algorithm << 32 | dimension, 0 for an exchange
    static constexpr uint64_t holders = 32;   // at PE 0: see barrier_numbers.h
    // The next two serve barriers of signals: see numbered_barrier.h.
    static constexpr uint64_t entered = 40;  // at the leader: instance << 32 | how many members have come in
    static constexpr uint64_t broken = 48;   // the last instance that a member has found broken, written by that member
};

// The signals of a barrier number: two places of two words for each step, for odd and even rounds. The counts of fences
// (fence_barrier.cpp) lie in front of them, but for jobs of more PEs than can be counted.
struct SignalWords {
    static constexpr uint64_t place_bytes = 16;
    static constexpr uint32_t steps(uint32_t pes) { return static_cast<uint32_t>(std::bit_width(pes - 1)) + 1; }
    static constexpr uint64_t bytes(uint32_t pes) { return 2 * place_bytes * steps(pes); }
    static constexpr syncline_address_t of(uint32_t number, uint32_t pes) {
        return (pes <= RuntimeWords::counted_pes ? RuntimeWords::signals : RuntimeWords::counts) + number * bytes(pes);
    }
};

}  // namespace syncline
