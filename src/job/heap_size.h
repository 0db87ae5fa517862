// SPDX-License-Identifier: BSD-3-Clause
// The size of the symmetric heap, by the environment: for the launcher, which tells the daemons, and for a program that
// is started without one.
#pragma once

#include <cstdint>

namespace syncline {

struct HeapSize {
    uint64_t bytes;
    const char* variable;  // the variable that sets it; NULL: none does
};

constexpr uint64_t heap_bytes_default = 32ull << 20;
// The words of teams, which lie in the heap of a program that has teams (runtime/symmetric/workspace.h): a number of
// bytes for each PE of the job, and a fixed number.
constexpr uint64_t team_words_per_pe = 65 * 16;
constexpr uint64_t team_words = 50 * 1024;

// Returns the heap of each of so many PEs, by SHMEM_SYMMETRIC_SIZE, its deprecated name SMA_SYMMETRIC_SIZE, or
// SYNCLINE_HEAP_SIZE, whichever is set first in this order. The first two give the program's size, so OpenSHMEM's own
// words come on top; 0 is a size, too. Throws Failure.
HeapSize heap_size_from_environment(uint32_t pes);

}  // namespace syncline
