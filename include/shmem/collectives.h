/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives over teams, and the deprecated ones over active sets (1.5, section 9.9; scans: 1.6).
 */
#ifndef SHMEM_COLLECTIVES_H
#define SHMEM_COLLECTIVES_H

#include "shmem/teams.h"

/*
 * shmem_barrier_all(3): barriers
 * shmem_barrier_all shmem_barrier shmem_sync_all shmem_team_sync shmem_sync
 *
 * No PE returns before all PEs have called it: all PEs of the job, of the team, or of the active set, which is
 * PE_start, PE_start + 2^logPE_stride, and so on, PE_size PEs. Barriers first complete the operations of the default
 * context. The sync calls are barriers that complete no operations; they make visible the PEs' stores on their own node
 * and the operations that are complete. shmem_barrier() and shmem_sync() of active sets are deprecated; pSync is not
 * used. At a PE that is not in the active set they return at once.
 *
 * Executed by: the NICs (xdp) or the agents (udp) for a team on several nodes. The PEs of a node gather in its memory,
 * and the last of them starts the NIC's part, which goes on while PEs compute. For a team on one node, for an active
 * set, and for teams beyond the number of NIC barriers (64), the PEs themselves execute it, by atomics in about log2 n
 * rounds.
 *
 * Errors: shmem_team_sync() returns 0. It ends the job if the team is SHMEM_TEAM_INVALID or if a PE that it waits for
 * is gone.
 *
 * Specification: 1.5, 9.9
 *
 * See also: shmem_quiet(3), shmem_team_split_strided(3)
 */

/*
 * shmem_broadcast(3): data from one or all to all
 * shmem_TYPENAME_{broadcast,collect,fcollect,alltoall,alltoalls}
 * shmem_{broadcast,collect,fcollect,alltoall,alltoalls}mem
 * shmem_{broadcast,collect,fcollect,alltoall,alltoalls}{32,64}
 *
 * shmem_broadcast() copies the root's source to the dest of every PE; over teams also to the root's own dest, over
 * active sets not. shmem_collect() and shmem_fcollect() concatenate the sources in the order of the PEs; nelems may
 * differ at each PE for shmem_collect(), and must be equal for shmem_fcollect(). shmem_alltoall() gives the block that
 * every PE has for PE i to PE i; shmem_alltoalls() does so with elements that are dst and sst apart. dest and source
 * are symmetric. They may be the same object for shmem_broadcast(), and must not overlap otherwise.
 *
 * The calls with 32 and 64, of active sets, are deprecated; pSync is not used. A PE that is not in the active set
 * returns at once, and its dest stays as it is.
 *
 * Completion: on return dest is complete and source may be written again. When a PE calls it, dest must be ready at all
 * PEs: a faster PE may write there before a slower one calls.
 *
 * Executed by: each PE puts into the dest of all others, see shmem_put(3); a barrier of all ends the call, see
 * shmem_barrier_all(3). Up to 8 bytes of a broadcast over a team on several nodes travel with the barrier of the NICs
 * or agents instead.
 *
 * Blocking: collective.
 *
 * Errors: calls over teams return 0. The job ends if the team is SHMEM_TEAM_INVALID, if there is no such root, or if an
 * active set has PEs that the job does not have.
 *
 * Specification: 1.5, 9.9
 */

/*
 * shmem_reduce(3): reductions and scans
 * shmem_TYPENAME_{and,or,xor,max,min,sum,prod}_reduce
 * shmem_TYPENAME_sum_{inscan,exscan}
 * shmem_TYPENAME_{and,or,xor,max,min,sum,prod}_to_all
 *
 * Combines the elements of all PEs' source, one by one, into the dest of every PE. dest and source are symmetric; they
 * may be the same object, and must not overlap otherwise. Sums and products of integers wrap. The call combines each
 * element once, so all PEs get the same bits, also of floating point: in the order of the PEs, or in any order where
 * the NICs or agents combine.
 *
 * Scans, of 1.6, give each PE the sum of the PEs before it: inscan includes its own value, and exscan gives the first
 * PE zero. The to_all calls, of active sets, are deprecated; pWrk and pSync are not used. At a PE that is not in the
 * active set they return at once and leave dest as it is.
 *
 * Completion: on return dest is complete and source may be written again.
 *
 * Executed by: the NICs (xdp) or the agents (udp), in their barrier, if the team is on several nodes and each PE has
 * one element, an integer, float or double, for and, or, xor, max, min or sum. For all other calls each PE gets a slice
 * of all sources, combines it, and puts the result into the dest of every PE.
 *
 * Blocking: collective.
 *
 * Errors: calls over teams return 0. SHMEM_TEAM_INVALID ends the job.
 *
 * Specification: 1.5, 9.9; 1.6 for scans
 *
 * See also: shmem_barrier_all(3)
 */
#define SHMEM_COLLECTIVE_TYPED_(F, NAME, TYPE)                                                              \
    F(int, NAME##_alltoall, (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems))            \
    F(int, NAME##_alltoalls,                                                                                \
      (shmem_team_t team, TYPE * dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems))    \
    F(int, NAME##_broadcast, (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems, int root)) \
    F(int, NAME##_collect, (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems))             \
    F(int, NAME##_fcollect, (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems))

#define SHMEM_REDUCE_(F, NAME, TYPE, OPERATION) \
    F(int, NAME##_##OPERATION##_reduce, (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nreduce))
#define SHMEM_REDUCE_BITS_(F, NAME, TYPE) \
    SHMEM_REDUCE_(F, NAME, TYPE, and)     \
    SHMEM_REDUCE_(F, NAME, TYPE, or)      \
    SHMEM_REDUCE_(F, NAME, TYPE, xor)
#define SHMEM_REDUCE_ORDER_(F, NAME, TYPE) \
    SHMEM_REDUCE_(F, NAME, TYPE, max)      \
    SHMEM_REDUCE_(F, NAME, TYPE, min)
#define SHMEM_REDUCE_SUM_(F, NAME, TYPE)                                                           \
    SHMEM_REDUCE_(F, NAME, TYPE, sum)                                                              \
    SHMEM_REDUCE_(F, NAME, TYPE, prod)                                                             \
    F(int, NAME##_sum_inscan, (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems)) \
    F(int, NAME##_sum_exscan, (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems))

#define SHMEM_TO_ALL_(F, NAME, TYPE, OPERATION)                                                               \
    F(void, NAME##_##OPERATION##_to_all,                                                                      \
      (TYPE * dest, const TYPE* source, int nreduce, int PE_start, int logPE_stride, int PE_size, TYPE* pWrk, \
       long* pSync))
#define SHMEM_TO_ALL_BITS_(F, NAME, TYPE) \
    SHMEM_TO_ALL_(F, NAME, TYPE, and)     \
    SHMEM_TO_ALL_(F, NAME, TYPE, or)      \
    SHMEM_TO_ALL_(F, NAME, TYPE, xor)
#define SHMEM_TO_ALL_ORDER_(F, NAME, TYPE) \
    SHMEM_TO_ALL_(F, NAME, TYPE, max)      \
    SHMEM_TO_ALL_(F, NAME, TYPE, min)
#define SHMEM_TO_ALL_SUM_(F, NAME, TYPE) \
    SHMEM_TO_ALL_(F, NAME, TYPE, sum)    \
    SHMEM_TO_ALL_(F, NAME, TYPE, prod)

#define SHMEM_ACTIVE_SET_(F, BITS)                                                                                  \
    F(void, broadcast##BITS,                                                                                        \
      (void* dest, const void* source, size_t nelems, int PE_root, int PE_start, int logPE_stride, int PE_size,     \
       long* pSync))                                                                                                \
    F(void, collect##BITS,                                                                                          \
      (void* dest, const void* source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long* pSync))    \
    F(void, fcollect##BITS,                                                                                         \
      (void* dest, const void* source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long* pSync))    \
    F(void, alltoall##BITS,                                                                                         \
      (void* dest, const void* source, size_t nelems, int PE_start, int logPE_stride, int PE_size, long* pSync))    \
    F(void, alltoalls##BITS,                                                                                        \
      (void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int PE_start, int logPE_stride, \
       int PE_size, long* pSync))

#define SHMEM_COLLECTIVES_(F)                                                                           \
    F(void, barrier_all, (void))                                                                        \
    F(void, sync_all, (void))                                                                           \
    F(int, team_sync, (shmem_team_t team))                                                              \
    F(void, barrier, (int PE_start, int logPE_stride, int PE_size, long* pSync))                        \
    F(void, sync, (int PE_start, int logPE_stride, int PE_size, long* pSync))                           \
    F(int, alltoallmem, (shmem_team_t team, void* dest, const void* source, size_t nelems))             \
    F(int, alltoallsmem,                                                                                \
      (shmem_team_t team, void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems)) \
    F(int, broadcastmem, (shmem_team_t team, void* dest, const void* source, size_t nelems, int root))  \
    F(int, collectmem, (shmem_team_t team, void* dest, const void* source, size_t nelems))              \
    F(int, fcollectmem, (shmem_team_t team, void* dest, const void* source, size_t nelems))             \
    SHMEM_TYPES_(SHMEM_COLLECTIVE_TYPED_, F)                                                            \
    SHMEM_INTEGER_TYPES_(SHMEM_REDUCE_BITS_, F)                                                         \
    SHMEM_TYPES_(SHMEM_REDUCE_ORDER_, F)                                                                \
    SHMEM_SUM_TYPES_(SHMEM_REDUCE_SUM_, F)                                                              \
    SHMEM_TO_ALL_INTEGER_TYPES_(SHMEM_TO_ALL_BITS_, F)                                                  \
    SHMEM_TO_ALL_TYPES_(SHMEM_TO_ALL_ORDER_, F)                                                         \
    SHMEM_TO_ALL_SUM_TYPES_(SHMEM_TO_ALL_SUM_, F)                                                       \
    SHMEM_ACTIVE_SET_(F, 32)                                                                            \
    SHMEM_ACTIVE_SET_(F, 64)

#endif
