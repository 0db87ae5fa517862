// SPDX-License-Identifier: BSD-3-Clause
// The environment variables of the specification (1.6, section 8), and this library's own.
#pragma once

#include <cstdint>

namespace syncline::shmem {

// Returns whether a variable of the specification, such as SHMEM_DEBUG, is set and not empty or 0; its deprecated name
// counts where the variable is not set.
bool is_on(const char* name);

// Returns how far the heap may grow, in bytes; 0: the variable is not set. Throws Failure.
uint64_t heap_limit();

// Makes PE 0 print the output that SHMEM_VERSION and SHMEM_INFO ask for.
void introduce();

}  // namespace syncline::shmem
