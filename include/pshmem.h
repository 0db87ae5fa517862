/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The profiling interface (1.5, section 10): every function has a second name with the prefix pshmem_. The names
 * without p are weak, so that a tool may define its own functions by them and call the others.
 */
#ifndef PSHMEM_H
#define PSHMEM_H

#include "shmem.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SHMEM_DECLARE_(RESULT, NAME, ARGUMENTS) SHMEM_API RESULT pshmem_##NAME ARGUMENTS;
SHMEM_FUNCTIONS_(SHMEM_DECLARE_)
#undef SHMEM_DECLARE_

SHMEM_API void pshmem_global_exit(int status) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif

#endif
