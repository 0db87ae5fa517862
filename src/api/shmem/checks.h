// SPDX-License-Identifier: BSD-3-Clause
// The further checks of SHMEM_DEBUG=1: that all members of a collective are in the same call with the same
// arguments, and that what may not overlap does not. Each costs time; the first costs two barriers.
#pragma once

#include <initializer_list>

#include "api/shmem/library.h"

namespace syncline::shmem {

// All members have made this call with these arguments; or the job ends, and a sentence names a PE that differs.
void agree(Group& group, std::initializer_list<uint64_t> arguments);

// A dest as an argument: the same number at all PEs if it is the same symmetric object; 0 if it is none.
uint64_t symmetric_place(const void* dest);

enum class Same { kAllowed, kRefused };  // that two ranges begin at the same byte
void must_not_overlap(const void* dest, size_t dest_bytes, const void* source, size_t source_bytes, Same same);

}  // namespace syncline::shmem
