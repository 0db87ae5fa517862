// SPDX-License-Identifier: BSD-3-Clause
// The cases of the program `conformance`. Each initialises the library and finalizes it.
#pragma once

#define SHMEM_CASES_(CASE)   \
    CASE(setup)              \
    CASE(memory)             \
    CASE(rma)                \
    CASE(strided)            \
    CASE(atomics)            \
    CASE(collectives)        \
    CASE(active_sets)        \
    CASE(teams)              \
    CASE(waiting)            \
    CASE(progress)           \
    CASE(threads)            \
    CASE(threads_serialized) \
    CASE(deprecated)         \
    CASE(generic)            \
    CASE(cxx)                \
    CASE(manual_data)        \
    CASE(manual_sets)        \
    CASE(nonblocking)

#ifdef __cplusplus
extern "C" {
#endif
#define DECLARE_CASE(NAME) void run_##NAME(void);
SHMEM_CASES_(DECLARE_CASE)
#ifdef __cplusplus
}
#endif
