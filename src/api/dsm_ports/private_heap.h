// SPDX-License-Identifier: BSD-3-Clause
// Memory that a PARMACS program allocates by malloc() and its relatives. It is at one address in all processes, and
// contains the allocator's own state, so that a CREATE can hand all of it on.
//
// A block has a header of 16 bytes in front. Sizes are rounded up to one of four steps between powers of two. A freed
// block goes to the list of its size; if a list is empty, a block is cut from the end of the used part. Blocks are
// never merged, because programs of this kind allocate at the start and run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "program.h"

namespace syncline::ports::private_heap {

// Reserves the addresses. `code` is the program's code: calls from there are served here.
void open(Range code);

// Returns the part in use, with the allocator's state: the range to hand on.
Range used();

bool holds(const void* memory);
void* allocate(size_t bytes);
void* allocate_aligned(size_t alignment, size_t bytes);
void give_back(void* memory);
size_t bytes_of(const void* memory);

// Returns whether the instruction belongs to the program's code.
bool is_program(const void* instruction);

}  // namespace syncline::ports::private_heap
