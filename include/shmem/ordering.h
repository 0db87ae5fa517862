/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Point-to-point synchronisation (1.5, section 9.10), ordering (9.11) and locks (9.12).
 */
#ifndef SHMEM_ORDERING_H
#define SHMEM_ORDERING_H

#include "shmem/teams.h"

/*
 * shmem_wait_until(3): wait for, or look at, words that others write
 * shmem_TYPENAME_wait_until shmem_TYPENAME_wait_until_{all,any,some}{,_vector}
 * shmem_TYPENAME_test shmem_TYPENAME_test_{all,any,some}{,_vector}
 * shmem_signal_wait_until shmem_TYPENAME_wait shmem_wait shmem_wait_until
 *
 * The wait calls return when the own symmetric word ivar, or all, any or some of nelems words, compare so with
 * cmp_value, or with their own value of cmp_values (vector): SHMEM_CMP_EQ, NE, GT, GE, LT, LE. Words whose status is
 * not 0 are not looked at; status may be NULL. Data that a PE wrote before it wrote the word, with a fence in between,
 * is visible then.
 *
 * The any calls return the index of such a word, or SIZE_MAX if there is none (test) or none is looked at; each time
 * the search begins behind the one found last. The some calls return how many, and their indices. test and test_all
 * return 1 or 0. shmem_signal_wait_until() returns the value of the signal. shmem_wait(), until a word differs, and
 * shmem_wait_until() of a long are deprecated.
 *
 * Blocking: waiting polls, and gives the CPU away to others that want it. With SYNCLINE_WAIT=block it sleeps after some
 * hundred looks; a call of another PE that writes a symmetric word of the sleeping PE wakes it. The test calls return
 * at once, and send the atomics that still gather here: a loop of them makes progress.
 *
 * Threads: several may wait at the same time.
 *
 * Errors: a word that is not symmetric, or a comparison that there is not, ends the job.
 *
 * Specification: 1.5, 9.10
 *
 * See also: shmem_put_signal(3), shmem_fence(3)
 */

/*
 * shmem_quiet(3): completion and order of operations
 * shmem_{,ctx_}quiet shmem_{,ctx_}fence shmem_{,ctx_}pe_quiet
 *
 * shmem_quiet() returns when all puts, gets, signals and atomics of the caller on the context are done, at all PEs, and
 * the fetched values are there. shmem_fence() puts the operations before it, to each PE, in front of those after it; it
 * is shmem_quiet() here, for packets in flight are in no order. shmem_pe_quiet() of 1.6 is for some PEs; here it
 * completes the operations to all of them.
 *
 * They send the operations that still gather, and then wait for the replies that are missing: every request has one, so
 * they send nothing more. For a context that has nothing under way they do nothing; SHMEM_CTX_INVALID is allowed, and
 * without effect.
 *
 * Blocking: for at most a round trip after the last request. It does not wait for the other PEs to do anything.
 *
 * Errors: if a PE that an operation was for is gone, the job ends.
 *
 * Specification: 1.5, 9.11; 1.6 for shmem_pe_quiet()
 *
 * See also: shmem_barrier_all(3), shmemx_pe_fence(3)
 */

/*
 * shmem_set_lock(3): locks
 * shmem_set_lock shmem_test_lock shmem_clear_lock
 *
 * A symmetric long that is 0 at all PEs at the beginning is a lock for the job. shmem_set_lock() takes it, first come,
 * first served; shmem_test_lock() takes it if no PE has it, and returns 0, else 1; shmem_clear_lock() gives it back
 * when all operations of the caller on the default context are done. Programs must not look at the word.
 *
 * Executed by: CPU, NIC or agent, see shmem(3). Atomics at a home PE, which follows from the address, change the queue,
 * and puts to the neighbours in the queue. Alone, taking and giving back are one atomic each. A waiter looks at its own
 * memory only, or sleeps (SYNCLINE_WAIT=block).
 *
 * Threads: one thread of a PE takes a lock at a time; there is one place in the queue for each PE.
 *
 * Errors: in a job of more than 65534 PEs, or of memory that is not symmetric or aligned, the job ends. A PE that dies
 * with a lock leaves it taken.
 *
 * Specification: 1.5, 9.12
 */
#define SHMEM_WAIT_TYPED_(F, NAME, TYPE)                                                                              \
    F(void, NAME##_wait_until, (TYPE * ivar, int cmp, TYPE cmp_value))                                                \
    F(void, NAME##_wait_until_all, (TYPE * ivars, size_t nelems, const int* status, int cmp, TYPE cmp_value))         \
    F(size_t, NAME##_wait_until_any, (TYPE * ivars, size_t nelems, const int* status, int cmp, TYPE cmp_value))       \
    F(size_t, NAME##_wait_until_some,                                                                                 \
      (TYPE * ivars, size_t nelems, size_t* indices, const int* status, int cmp, TYPE cmp_value))                     \
    F(void, NAME##_wait_until_all_vector,                                                                             \
      (TYPE * ivars, size_t nelems, const int* status, int cmp, const TYPE* cmp_values))                              \
    F(size_t, NAME##_wait_until_any_vector,                                                                           \
      (TYPE * ivars, size_t nelems, const int* status, int cmp, const TYPE* cmp_values))                              \
    F(size_t, NAME##_wait_until_some_vector,                                                                          \
      (TYPE * ivars, size_t nelems, size_t* indices, const int* status, int cmp, const TYPE* cmp_values))             \
    F(int, NAME##_test, (TYPE * ivar, int cmp, TYPE cmp_value))                                                       \
    F(int, NAME##_test_all, (TYPE * ivars, size_t nelems, const int* status, int cmp, TYPE cmp_value))                \
    F(size_t, NAME##_test_any, (TYPE * ivars, size_t nelems, const int* status, int cmp, TYPE cmp_value))             \
    F(size_t, NAME##_test_some,                                                                                       \
      (TYPE * ivars, size_t nelems, size_t* indices, const int* status, int cmp, TYPE cmp_value))                     \
    F(int, NAME##_test_all_vector, (TYPE * ivars, size_t nelems, const int* status, int cmp, const TYPE* cmp_values)) \
    F(size_t, NAME##_test_any_vector,                                                                                 \
      (TYPE * ivars, size_t nelems, const int* status, int cmp, const TYPE* cmp_values))                              \
    F(size_t, NAME##_test_some_vector,                                                                                \
      (TYPE * ivars, size_t nelems, size_t* indices, const int* status, int cmp, const TYPE* cmp_values))             \
    F(void, NAME##_wait, (TYPE * ivar, TYPE cmp_value))

#define SHMEM_ORDER_(F)                                                               \
    SHMEM_WAIT_TYPES_(SHMEM_WAIT_TYPED_, F)                                           \
    F(uint64_t, signal_wait_until, (uint64_t* sig_addr, int cmp, uint64_t cmp_value)) \
    F(void, fence, (void))                                                            \
    F(void, ctx_fence, (shmem_ctx_t ctx))                                             \
    F(void, quiet, (void))                                                            \
    F(void, ctx_quiet, (shmem_ctx_t ctx))                                             \
    F(void, pe_quiet, (const int* target_pes, size_t npes))                           \
    F(void, ctx_pe_quiet, (shmem_ctx_t ctx, const int* target_pes, size_t npes))

#define SHMEM_LOCKS_(F)               \
    F(void, set_lock, (long* lock))   \
    F(void, clear_lock, (long* lock)) \
    F(int, test_lock, (long* lock))

/*
 * shmem_udcflush(3): caches, which are coherent
 * shmem_{clear,set}_cache_inv shmem_{clear,set}_cache_line_inv shmem_udcflush shmem_udcflush_line
 *
 * Deprecated. They do nothing, because caches are coherent.
 *
 * Specification: deprecated since 1.3
 */

#define SHMEM_DEPRECATED_(F)                               \
    F(void, wait_until, (long* ivar, int cmp, long value)) \
    F(void, wait, (long* ivar, long value))                \
    F(void, clear_cache_inv, (void))                       \
    F(void, set_cache_inv, (void))                         \
    F(void, clear_cache_line_inv, (void* dest))            \
    F(void, set_cache_line_inv, (void* dest))              \
    F(void, udcflush, (void))                              \
    F(void, udcflush_line, (void* dest))

#endif
