// SPDX-License-Identifier: BSD-3-Clause
// The further checks of SHMEM_DEBUG=1: that all members of a collective are in the same call with the same arguments,
// and that ranges that must not overlap do not. Each check costs time; the first costs two barriers.
#pragma once

#include <initializer_list>

#include "api/shmem/library.h"

namespace syncline::shmem {

// Returns if all members have made this call with these arguments; otherwise a message names a PE that differs, and the
// job ends.
void agree(Group& group, std::initializer_list<uint64_t> arguments);

// Returns a number for a dest argument: equal at all PEs if it is the same symmetric object; 0 if it is not symmetric.
uint64_t symmetric_place(const void* dest);

enum class Same { kAllowed, kRefused };  // for two ranges that begin at the same byte
void must_not_overlap(const void* dest, size_t dest_bytes, const void* source, size_t source_bytes, Same same);

}  // namespace syncline::shmem
