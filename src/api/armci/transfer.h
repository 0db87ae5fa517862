// SPDX-License-Identifier: BSD-3-Clause
// Puts, gets and accumulates of pieces of equal length: a range, a section of an array, a list.
#pragma once

#include <cstdint>
#include <vector>

#include "api/armci/state.h"

namespace syncline::armci {

enum class Kind { kPut, kGet, kAccumulate };

struct Segment {
    uint8_t* local;
    uint8_t* remote;
};

// What is to be moved: segments of `bytes` each.
struct Pieces {
    Kind kind;
    int process;
    uint64_t bytes = 0;
    std::vector<Segment> segments;
    int type = 0;  // of an accumulate
    const void* scale = nullptr;
};

// Refuses what makes no sense.
Pieces section(Kind kind, uint8_t* local, const int* local_strides, uint8_t* remote, const int* remote_strides,
               const int* count, int levels, int process);
Pieces list(Kind kind, const armci_giov_t* pieces, int length, int process);

// Waits, or, with `later`, leaves what is under way to finish().
struct Later {
    uint64_t handle;  // 0: none
};
void move(Pieces pieces, const Later* later);

// Operations of a handle, of a process, or all; the last argument: only if they are over already. False: some are not.
bool finish(const uint64_t* handle, const int* process, bool waits);
uint64_t new_handle();

}  // namespace syncline::armci
