/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Syncline's extensions of OpenSHMEM.
 */
#ifndef SHMEMX_H
#define SHMEMX_H

#include "shmem.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * shmemx_executed_by(3): the executor of operations on memory of a PE
 * shmemx_executed_by
 *
 * Returns SHMEMX_EXECUTED_BY_CPU if instructions of this process execute the caller's puts, gets, signals and atomics
 * on dest at pe, in memory that is mapped here; SHMEMX_EXECUTED_BY_NIC if the NIC of the target's node executes them;
 * SHMEMX_EXECUTED_BY_AGENT if a thread of that node's daemon does. The call sends nothing.
 *
 * Errors: -1 if dest is not symmetric or there is no such PE.
 *
 * Specification: none; an extension, of shmemx.h
 *
 * See also: shmem_ptr(3)
 */
enum { SHMEMX_EXECUTED_BY_CPU = 0, SHMEMX_EXECUTED_BY_NIC = 1, SHMEMX_EXECUTED_BY_AGENT = 2 };
SHMEM_API int shmemx_executed_by(const void* dest, int pe);

/*
 * shmemx_atomic_fetch_min(3): atomic minimum and maximum
 * shmemx_{,ctx_}TYPENAME_atomic_{min,max}
 * shmemx_{,ctx_}TYPENAME_atomic_fetch_{min,max}
 * shmemx_{,ctx_}TYPENAME_atomic_fetch_{min,max}_nbi
 *
 * Each call makes the symmetric integer dest at a PE the smaller or the larger of its value and `value`, as numbers of
 * their type. The forms are those of the other atomics, and atomic with them: without a result as shmem_atomic_add(3),
 * with the old value as shmem_atomic_fetch_add(3), or as shmem_atomic_fetch_add_nbi(3), with the old value in *fetch.
 *
 * Executed by: CPU, NIC or agent, see shmem(3), by a loop of compare&swap. If others change the word in each of a NIC's
 * rounds, the operation is sent again.
 *
 * Errors: a word that is not aligned to its size ends the job.
 *
 * Specification: none; an extension, of shmemx.h
 *
 * See also: shmem_atomic_fetch(3), shmem_atomic_add(3), shmem_atomic_fetch_nbi(3)
 */
#define SHMEMX_ATOMIC_(F, NAME, TYPE)        \
    SHMEM_ATOMIC_UPDATE_(F, NAME, TYPE, min) \
    SHMEM_ATOMIC_UPDATE_(F, NAME, TYPE, max)
#define SHMEMX_ATOMICS_(F) SHMEM_ATOMIC_TYPES_(SHMEMX_ATOMIC_, F)

#define SHMEMX_DECLARE_(RESULT, NAME, ARGUMENTS) SHMEM_API RESULT shmemx_##NAME ARGUMENTS;
SHMEMX_ATOMICS_(SHMEMX_DECLARE_)
#undef SHMEMX_DECLARE_

/*
 * shmemx_pe_fence(3): order of the operations towards one PE
 * shmemx_pe_fence
 *
 * Orders the caller's earlier operations on memory of this PE, on the default context, before its later ones, as
 * shmem_fence(3) does. For a PE of the caller's own node it does not wait; for any other it is shmem_quiet(3).
 *
 * Specification: none; an extension, of shmemx.h
 *
 * See also: shmem_quiet(3)
 */
SHMEM_API void shmemx_pe_fence(int pe);

/*
 * shmemx_wtime(3): time that has passed
 * shmemx_wtime
 *
 * Returns seconds since some moment in the past, which is the same for all processes of a machine. The value never goes
 * back.
 *
 * Specification: none; an extension, of shmemx.h
 */
SHMEM_API double shmemx_wtime(void);

#ifdef __cplusplus
}
#endif

#endif
