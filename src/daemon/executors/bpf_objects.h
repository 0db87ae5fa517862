// SPDX-License-Identifier: BSD-3-Clause
// Maps and descriptors of the kernel's that NIC programs, their dispatchers and the tables of jobs are made of.
#pragma once

#include <cstdint>

#include "base/unique_fd.h"

namespace syncline {

// Before the first of them: libbpf says nothing by itself, and kernels that still count BPF memory as locked have no
// limit.
void prepare_for_bpf();

// Throws Failure.
UniqueFd create_map(const char* name, int type, uint32_t value_size, uint32_t entries, uint32_t flags);

// Another descriptor of a map or program. Throws Failure.
UniqueFd copy_of(int fd);

// The map by which this daemon's dispatchers hand a frame's place over to its NIC programs (firmware/dispatch.h): one
// for all, because each dispatcher goes on to each program. There as long as the process. Throws Failure.
int handed_place();

}  // namespace syncline
