/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic memory operations (1.5, section 9.7).
 */
#ifndef SHMEM_ATOMICS_H
#define SHMEM_ATOMICS_H

#include "shmem/teams.h"

/*
 * shmem_atomic_fetch(3): atomic operations that return the old value
 * shmem_{,ctx_}TYPENAME_atomic_{fetch,swap,compare_swap}
 * shmem_{,ctx_}TYPENAME_atomic_fetch_{inc,add,and,or,xor}
 * shmem_TYPENAME_{fetch,swap,cswap,finc,fadd}
 *
 * Each call reads the symmetric word dest at a PE (for fetch: source), exchanges it, exchanges it if it equals cond, or
 * combines it with value, and returns the word's old value. Integers wrap.
 *
 * All atomics, of all PEs, are atomic with each other on one word. They are also atomic with the signals of
 * shmem_put_signal(3), with the target's own C11 atomics and with atomics through shmem_ptr(3): all are atomic
 * instructions of the CPU on one memory. Bitwise atomics exist for signed types, too. The names without atomic are
 * deprecated.
 *
 * Completion: on return the operation is done and its result is there.
 *
 * Ordering: none with the caller's earlier operations, unless shmem_fence(3) is between.
 *
 * Executed by: CPU, NIC or agent, see shmem(3); exactly once, whatever the network loses or repeats.
 *
 * Blocking: until the result is there.
 *
 * Errors: a word that is not aligned to its size ends the job.
 *
 * Specification: 1.5, 9.7
 *
 * See also: shmem_atomic_add(3), shmem_atomic_fetch_nbi(3)
 */

/*
 * shmem_atomic_add(3): atomic operations without a result
 * shmem_{,ctx_}TYPENAME_atomic_{set,inc,add,and,or,xor}
 * shmem_TYPENAME_{set,inc,add}
 *
 * Each call changes the symmetric word dest at a PE, and is atomic as shmem_atomic_fetch(3) is. The names without
 * atomic are deprecated.
 *
 * Completion: the word has changed after shmem_quiet(3) or a barrier; on the caller's own node, when the call returns.
 * A caller need not make a further call: the library sends its posted operations after about half a millisecond, and at
 * once when the caller enters a barrier, sync, collective, wait, test or lock, whichever context the operations are on.
 *
 * Ordering: none among them, unless shmem_fence(3) is between.
 *
 * Executed by: CPU, NIC or agent, see shmem(3). Operations on another node travel in packets of 88 and more, for all
 * PEs of that node. A packet leaves when it is full, in front of another operation on that node, and as said above.
 *
 * Blocking: a call to another node waits while the window of that node is full.
 *
 * Errors: a word that is not aligned to its size ends the job.
 *
 * Specification: 1.5, 9.7
 *
 * See also: shmem_atomic_fetch(3), shmem_quiet(3)
 */

/*
 * shmem_atomic_fetch_nbi(3): atomic operations whose result comes later
 * shmem_{,ctx_}TYPENAME_atomic_{fetch,swap,compare_swap}_nbi
 * shmem_{,ctx_}TYPENAME_atomic_fetch_{inc,add,and,or,xor}_nbi
 *
 * As shmem_atomic_fetch(3), but each call stores the old value in *fetch.
 *
 * Completion: the operation is done and *fetch is there after shmem_quiet(3); until then the caller must not touch
 * *fetch.
 *
 * Ordering: none among them, unless shmem_fence(3) is between.
 *
 * Executed by: CPU, NIC or agent, see shmem(3). Each operation is a packet; the window (`--window`) says how many are
 * under way.
 *
 * Errors: a word that is not aligned to its size ends the job.
 *
 * Specification: 1.5, 9.7
 *
 * See also: shmem_atomic_fetch(3), shmem_quiet(3)
 */
#define SHMEM_ATOMIC_EXTENDED_(F, NAME, TYPE)                                                \
    SHMEM_CTX_(F, TYPE, NAME##_atomic_fetch, const TYPE* source, int pe)                     \
    SHMEM_CTX_(F, void, NAME##_atomic_set, TYPE* dest, TYPE value, int pe)                   \
    SHMEM_CTX_(F, TYPE, NAME##_atomic_swap, TYPE* dest, TYPE value, int pe)                  \
    SHMEM_CTX_(F, void, NAME##_atomic_fetch_nbi, TYPE* fetch, const TYPE* source, int pe)    \
    SHMEM_CTX_(F, void, NAME##_atomic_swap_nbi, TYPE* fetch, TYPE* dest, TYPE value, int pe) \
    F(TYPE, NAME##_fetch, (const TYPE* source, int pe))                                      \
    F(void, NAME##_set, (TYPE * dest, TYPE value, int pe))                                   \
    F(TYPE, NAME##_swap, (TYPE * dest, TYPE value, int pe))

#define SHMEM_ATOMIC_UPDATE_(F, NAME, TYPE, OPERATION)                                   \
    SHMEM_CTX_(F, void, NAME##_atomic_##OPERATION, TYPE* dest, TYPE value, int pe)       \
    SHMEM_CTX_(F, TYPE, NAME##_atomic_fetch_##OPERATION, TYPE* dest, TYPE value, int pe) \
    SHMEM_CTX_(F, void, NAME##_atomic_fetch_##OPERATION##_nbi, TYPE* fetch, TYPE* dest, TYPE value, int pe)

#define SHMEM_ATOMIC_STANDARD_(F, NAME, TYPE)                                                                   \
    SHMEM_CTX_(F, TYPE, NAME##_atomic_compare_swap, TYPE* dest, TYPE cond, TYPE value, int pe)                  \
    SHMEM_CTX_(F, void, NAME##_atomic_compare_swap_nbi, TYPE* fetch, TYPE* dest, TYPE cond, TYPE value, int pe) \
    SHMEM_CTX_(F, void, NAME##_atomic_inc, TYPE* dest, int pe)                                                  \
    SHMEM_CTX_(F, TYPE, NAME##_atomic_fetch_inc, TYPE* dest, int pe)                                            \
    SHMEM_CTX_(F, void, NAME##_atomic_fetch_inc_nbi, TYPE* fetch, TYPE* dest, int pe)                           \
    SHMEM_ATOMIC_UPDATE_(F, NAME, TYPE, add)                                                                    \
    SHMEM_ATOMIC_UPDATE_(F, NAME, TYPE, and)                                                                    \
    SHMEM_ATOMIC_UPDATE_(F, NAME, TYPE, or)                                                                     \
    SHMEM_ATOMIC_UPDATE_(F, NAME, TYPE, xor)                                                                    \
    F(TYPE, NAME##_cswap, (TYPE * dest, TYPE cond, TYPE value, int pe))                                         \
    F(TYPE, NAME##_finc, (TYPE * dest, int pe))                                                                 \
    F(void, NAME##_inc, (TYPE * dest, int pe))                                                                  \
    F(TYPE, NAME##_fadd, (TYPE * dest, TYPE value, int pe))                                                     \
    F(void, NAME##_add, (TYPE * dest, TYPE value, int pe))

#define SHMEM_ATOMICS_(F)                                   \
    SHMEM_EXTENDED_ATOMIC_TYPES_(SHMEM_ATOMIC_EXTENDED_, F) \
    SHMEM_ATOMIC_TYPES_(SHMEM_ATOMIC_STANDARD_, F)

#endif
