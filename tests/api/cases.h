// SPDX-License-Identifier: BSD-3-Clause
// The cases of the program `contract`. All PEs run them in the order of the command line, in one life of the library.
#pragma once

// lifecycle joins and leaves the job by itself, and so stands alone. lock_kept leaves a lock, and so comes last.
#define CONTRACT_CASES_(CASE)   \
    CASE(atomics)               \
    CASE(pairs)                 \
    CASE(bulk)                  \
    CASE(pieces)                \
    CASE(accumulates)           \
    CASE(accumulate_race)       \
    CASE(accumulate_sums)       \
    CASE(completion)            \
    CASE(posted)                \
    CASE(ordering)              \
    CASE(memory)                \
    CASE(registration)          \
    CASE(barrier)               \
    CASE(threads)               \
    CASE(nic_barriers)          \
    CASE(subsets)               \
    CASE(reductions)            \
    CASE(fuzzy)                 \
    CASE(reopened)              \
    CASE(one_number)            \
    CASE(fences)                \
    CASE(lock_exclusion)        \
    CASE(lock_race)             \
    CASE(lock_requests)         \
    CASE(lock_try)              \
    CASE(lock_timed)            \
    CASE(lock_sets)             \
    CASE(lock_recreated)        \
    CASE(rwlock)                \
    CASE(semaphore)             \
    CASE(arguments)             \
    CASE(piece_arguments)       \
    CASE(nic_barrier_arguments) \
    CASE(fence_arguments)       \
    CASE(lock_arguments)        \
    CASE(loss)                  \
    CASE(lock_loss)             \
    CASE(lifecycle)             \
    CASE(lock_order)            \
    CASE(lock_kept)

namespace contract {

#define DECLARE_CASE_(NAME) void run_##NAME();
CONTRACT_CASES_(DECLARE_CASE_)
#undef DECLARE_CASE_

}  // namespace contract
