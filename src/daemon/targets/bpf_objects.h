// SPDX-License-Identifier: BSD-3-Clause
// The kernel's maps and descriptors from which NIC programs, their dispatchers and the tables of jobs are made.
#pragma once

#include <cstdint>

#include "base/unique_fd.h"

namespace syncline {

// Call it before making the first of them: it silences libbpf, and lifts the limit of kernels that still count BPF
// memory as locked.
void prepare_for_bpf();

// Throws Failure.
UniqueFd create_map(const char* name, int type, uint32_t value_size, uint32_t entries, uint32_t flags);

// Returns another descriptor of a map or program. Throws Failure.
UniqueFd copy_of(int fd);

// Returns the map by which this daemon's dispatchers hand a frame's place over to its NIC programs
// (firmware/dispatch.h). There is one map, because each dispatcher can continue in each program. It exists as long as
// the process. Throws Failure.
int handed_place();

}  // namespace syncline
