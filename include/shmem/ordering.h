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
 * The wait calls return when this PE's own symmetric word ivar, or all, any or some of nelems words, compare with
 * cmp_value, or each with its own value in cmp_values (vector), as cmp says: SHMEM_CMP_EQ, NE, GT, GE, LT, LE. Words
 * whose status is not 0 are ignored; status may be NULL. Data that a PE wrote before the word, with a fence in between,
 * is visible then.
 *
 * The any calls return the index of such a word, or SIZE_MAX if there is none (test) or all words are ignored; each
 * search begins behind the word that the last one found. The some calls return how many words they have found, and
 * store their indices. test and test_all return 1 or 0. shmem_signal_wait_until() returns the value of the signal.
 * shmem_wait(), which waits until a word differs, and shmem_wait_until() of a long are deprecated.
 *
 * Blocking: waiting polls, and yields the CPU to other processes. With SYNCLINE_WAIT=block it sleeps after some hundred
 * polls; a call of another PE that writes a symmetric word of the sleeping PE wakes it. The test calls return at once,
 * and send the atomics that still gather at this PE, so a loop of them makes progress.
 *
 * Threads: several threads may wait at the same time.
 *
 * Errors: the job ends if a word is not symmetric, or if there is no such comparison.
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
 * the fetched values are there. shmem_fence() orders the operations before it in front of those after it, for each PE.
 * Here it is shmem_quiet(), because packets in flight have no order. shmem_pe_quiet() of 1.6 is for some PEs; here it
 * completes the operations on all PEs.
 *
 * The calls send the operations that still gather, and then wait for the missing replies; every request has a reply, so
 * they send no further packet. For a context that has no operation under way they do nothing. SHMEM_CTX_INVALID is
 * allowed, and has no effect.
 *
 * Blocking: for at most a round trip after the last request. It does not wait for the other PEs to do anything.
 *
 * Errors: the job ends if a PE that an operation was for is gone.
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
 * first served. shmem_test_lock() takes it and returns 0 if no PE has it, else returns 1. shmem_clear_lock() releases
 * it when all operations of the caller on the default context are done. Programs must not access the word.
 *
 * Executed by: CPU, NIC or agent, see shmem(3). Atomics at a home PE, which follows from the address, and puts to the
 * neighbours in the queue change the queue. Without contention, taking and releasing the lock are one atomic each. A
 * waiter polls its own memory only, or sleeps (SYNCLINE_WAIT=block).
 *
 * Threads: one thread of a PE takes a lock at a time, because each PE has one place in the queue.
 *
 * Errors: the job ends if it has more than 65534 PEs, or if the memory is not symmetric or aligned. A PE that dies with
 * a lock leaves it taken.
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
 * shmem_udcflush(3): cache calls, which have nothing to do
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
