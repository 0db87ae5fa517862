/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What OpenSHMEM has no call for.
 */
#ifndef SHMEMX_H
#define SHMEMX_H

#include "shmem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How an operation on memory of a PE is executed. */
enum {
    SHMEMX_EXECUTED_BY_CPU = 0,   /* by this process, with instructions on mapped memory */
    SHMEMX_EXECUTED_BY_NIC = 1,   /* by the NIC of the target's node */
    SHMEMX_EXECUTED_BY_AGENT = 2, /* by a thread of a daemon on the target's node */
};

/* Who executes operations on `dest` at `pe`; -1 if it is no symmetric address. No process of the PE takes part. */
SHMEM_API int shmemx_executed_by(const void* dest, int pe);

/* shmem_fence() for the operations towards one PE. */
SHMEM_API void shmemx_pe_fence(int pe);

/* Seconds since some time in the past. */
SHMEM_API double shmemx_wtime(void);

#ifdef __cplusplus
}
#endif

#endif
