// SPDX-License-Identifier: BSD-3-Clause
// The move of the program's variables to shared memory, by whole pages, while the program goes on using them.
//
// A page keeps its address, its contents and its rights, and is a part of a memory file from then on. No write is lost,
// because no other thread of the process runs between the copy of a page and its replacement (base/standstill.h). Pages
// that the program has unmapped stay so, and pages that hold only zeros take no memory. A child of fork() has a copy of
// all moved memory (moved_memory.h). If other threads do not stand still, nothing moves.
#pragma once

#include <cstdint>
#include <vector>

#include "base/unique_fd.h"

namespace syncline {

// A run of whole pages.
struct MemoryRun {
    void* start;
    uint64_t bytes;
    uint64_t file_bytes;  // its beginning that comes from a file; the rest is zeros unless it was touched
};

uint64_t bytes_of(const std::vector<MemoryRun>& runs);

// Moves the runs to the beginning of `file`, one behind the other. The file holds zeros, and all of it is mapped at
// `base`. The caller has MovedMemory's hold(). Throws Failure: nothing has moved, or there was too little memory for
// all of it, or another thread ran meanwhile after all.
void move_runs(const std::vector<MemoryRun>& runs, UniqueFd file, uint8_t* base);

}  // namespace syncline
