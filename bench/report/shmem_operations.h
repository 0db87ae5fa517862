// SPDX-License-Identifier: BSD-3-Clause
// The operations that programs/shmem_program.c measures, in the order in which the table and the picture show them.
#pragma once

#include <string>

#include "bench/report/quantities.h"

namespace syncline::bench {

struct ShmemOperation {
    const char* name;  // in the program's output and in a result's file
    const char* title;
    bool rate;  // in operations per second; else ns

    const Quantity& quantity() const { return rate ? quantities::shmem_rate : quantities::shmem_time; }
};

constexpr ShmemOperation shmem_operations[] = {
    {"fetch_add", "fetch_add", false},
    {"compare_swap", "compare_swap", false},
    {"p", "p (8 bytes)", false},
    {"g", "g (8 bytes)", false},
    {"get_8", "get 8 bytes", false},
    {"get_4k", "get 4 KiB", false},
    {"put_8_quiet", "put 8 bytes + quiet", false},
    {"put_1m_quiet", "put 1 MiB + quiet", false},
    {"barrier_all", "barrier_all", false},
    {"broadcast_8", "broadcast 8 bytes", false},
    {"broadcast_4k", "broadcast 4 KiB", false},
    {"broadcast_1m", "broadcast 1 MiB", false},
    {"reduce_8", "reduce 8 bytes", false},
    {"reduce_4k", "reduce 4 KiB", false},
    {"reduce_1m", "reduce 1 MiB", false},
    {"collect_8", "collect 8 bytes", false},
    {"collect_4k", "collect 4 KiB", false},
    {"collect_1m", "collect 1 MiB", false},
    {"fcollect_8", "fcollect 8 bytes", false},
    {"fcollect_4k", "fcollect 4 KiB", false},
    {"fcollect_1m", "fcollect 1 MiB", false},
    {"random_xor", "random 64-bit xor", true},
    {"contended_lock", "contended lock, a section", false},
    {"fetch_add_computing", "fetch_add, target computes", false},
};

// A measured value with its unit.
std::string amount(const ShmemOperation& operation, double value);
// Where the PEs are, for people.
std::string place_of(uint64_t pes, uint64_t nodes);

}  // namespace syncline::bench
