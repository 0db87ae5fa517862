// SPDX-License-Identifier: BSD-3-Clause
// How large the symmetric heap is to be, as the environment says it: for the launcher, which tells the daemons, and for
// a program that is started without one.
#pragma once

#include <cstdint>

namespace syncline {

struct HeapSize {
    uint64_t bytes;
    const char* variable;  // that says so; NULL: none does
};

constexpr uint64_t heap_bytes_default = 32ull << 20;
// The words of teams, which lie in the heap of a program that has teams (runtime/collective/workspace.h): some for each
// PE of the job, and the others.
constexpr uint64_t team_words_per_pe = 65 * 16;
constexpr uint64_t team_words = 50 * 1024;

// Heap of each of so many PEs, by SHMEM_SYMMETRIC_SIZE, its deprecated name SMA_SYMMETRIC_SIZE, or SYNCLINE_HEAP_SIZE:
// the first that is set. The first two give the program's size, so OpenSHMEM's own words come on top: 0 is a size,
// too. Throws Failure.
HeapSize heap_size_from_environment(uint32_t pes);

}  // namespace syncline
