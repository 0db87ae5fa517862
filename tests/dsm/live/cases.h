// SPDX-License-Identifier: BSD-3-Clause
// The cases of the program `conformance`. All processes run them in the order of the command line, in one life of the
// shared memory.
#pragma once

// homes and statistics come first: pages that had an owner keep their homes.
#define DSM_CASES_(CASE)         \
    CASE(homes)                  \
    CASE(statistics)             \
    CASE(random)                 \
    CASE(scattered)              \
    CASE(message_by_lock)        \
    CASE(message_by_flag)        \
    CASE(message_by_barrier)     \
    CASE(message_by_condition)   \
    CASE(store_buffering)        \
    CASE(independent_writes)     \
    CASE(chain)                  \
    CASE(ring)                   \
    CASE(parts_of_a_page)        \
    CASE(false_sharing)          \
    CASE(mutual_exclusion)       \
    CASE(order_of_a_lock)        \
    CASE(tries)                  \
    CASE(bounded_buffer)         \
    CASE(flags)                  \
    CASE(numbers)                \
    CASE(threads_and_locks)      \
    CASE(threads_and_barriers)   \
    CASE(threads_of_one_process) \
    CASE(allocation)             \
    CASE(broadcast)              \
    CASE(prefetch)               \
    CASE(refusals)

#define DECLARE_CASE_(NAME) void run_##NAME();
DSM_CASES_(DECLARE_CASE_)
#undef DECLARE_CASE_
