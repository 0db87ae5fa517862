// SPDX-License-Identifier: BSD-3-Clause
// The cases of the program `conformance`. All processes run them in the order of the command line, in one life of
// ARMCI.
#pragma once

#define ARMCI_CASES_(CASE) \
    CASE(setup)            \
    CASE(blocks)           \
    CASE(many_blocks)      \
    CASE(no_room)          \
    CASE(local_memory)     \
    CASE(segments)         \
    CASE(groups)           \
    CASE(default_group)    \
    CASE(group_memory)     \
    CASE(contiguous)       \
    CASE(long_ranges)      \
    CASE(strided)          \
    CASE(sections)         \
    CASE(vector)           \
    CASE(accumulate)       \
    CASE(atomic_sums)      \
    CASE(misaligned)       \
    CASE(handles)          \
    CASE(implicit)         \
    CASE(aggregate)        \
    CASE(values)           \
    CASE(flags)            \
    CASE(order)            \
    CASE(notices)          \
    CASE(rmw)              \
    CASE(rmw_and_sums)     \
    CASE(mutexes)          \
    CASE(fences)           \
    CASE(barrier)          \
    CASE(location)         \
    CASE(domains)          \
    CASE(messages)         \
    CASE(crossing)         \
    CASE(any_sender)       \
    CASE(broadcasts)       \
    CASE(operations)       \
    CASE(spellings)        \
    CASE(selection)        \
    CASE(scopes)           \
    CASE(group_messages)   \
    CASE(threads)          \
    CASE(random)

#define DECLARE_CASE(NAME) void run_##NAME();
ARMCI_CASES_(DECLARE_CASE)
#undef DECLARE_CASE
