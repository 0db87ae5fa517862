// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.5, section 9.7: every atomic of every type, all PEs on one word; and the minimum and maximum of shmemx.h.
#include <shmemx.h>

#include "check.h"

#define TEST_STANDARD(F, NAME, TYPE)                                                               \
    static void test_##NAME(int me, int pes) {                                                     \
        static TYPE word, bits, sum, result;                                                       \
        shmem_##NAME##_atomic_inc(&word, 0);                                                       \
        shmem_##NAME##_atomic_add(&word, 2, 0);                                                    \
        (void)shmem_##NAME##_atomic_fetch_inc(&word, 0);                                           \
        (void)shmem_##NAME##_atomic_fetch_add(&word, 3, 0);                                        \
        shmem_##NAME##_atomic_fetch_add_nbi(&result, &word, 5, 0);                                 \
        shmem_##NAME##_atomic_fetch_inc_nbi(&sum, &word, 0);                                       \
        shmem_##NAME##_atomic_xor(&bits, (TYPE)1 << me, 0);                                        \
        shmem_barrier_all();                                                                       \
        CHECK(shmem_##NAME##_atomic_fetch(&word, 0) == (TYPE)(13 * pes));                          \
        CHECK(shmem_##NAME##_atomic_fetch(&bits, 0) == (TYPE)((1 << pes) - 1));                    \
        shmem_barrier_all();                                                                       \
        (void)shmem_##NAME##_atomic_fetch_and(&bits, (TYPE) ~((TYPE)1 << me), 0);                  \
        shmem_barrier_all();                                                                       \
        CHECK(shmem_##NAME##_atomic_fetch(&bits, 0) == 0);                                         \
        shmem_barrier_all();                                                                       \
        (void)shmem_##NAME##_atomic_fetch_or(&bits, (TYPE)1 << me, 0);                             \
        shmem_##NAME##_atomic_or(&bits, 64, 0);                                                    \
        shmem_barrier_all();                                                                       \
        CHECK(shmem_##NAME##_atomic_fetch_xor(&bits, 0, 0) == (TYPE)(((1 << pes) - 1) | 64));      \
        shmem_barrier_all();                                                                       \
        shmem_##NAME##_atomic_and(&bits, 64, 0);                                                   \
        for (TYPE old = 0, seen;; old = seen) {                                                    \
            seen = shmem_##NAME##_atomic_compare_swap(&word, old, (TYPE)(old + 1), 0);             \
            if (seen == old) {                                                                     \
                break;                                                                             \
            }                                                                                      \
        }                                                                                          \
        shmem_barrier_all();                                                                       \
        CHECK(shmem_##NAME##_g(&word, 0) == (TYPE)(14 * pes) && shmem_##NAME##_g(&bits, 0) == 64); \
        shmem_barrier_all();                                                                       \
        shmem_##NAME##_atomic_compare_swap_nbi(&result, &word, (TYPE)(14 * pes), 9, 0);            \
        shmem_barrier_all();                                                                       \
        CHECK(shmem_##NAME##_g(&word, 0) == 9 && (result == 9 || result == (TYPE)(14 * pes)));     \
    }
SHMEM_ATOMIC_TYPES_(TEST_STANDARD, )

#define TEST_EXTENDED(F, NAME, TYPE)                                                     \
    static void test_extended_##NAME(int me, int pes) {                                  \
        static TYPE word, result;                                                        \
        const int next = (me + 1) % pes;                                                 \
        shmem_##NAME##_atomic_set(&word, (TYPE)(10 + me), next);                         \
        shmem_barrier_all();                                                             \
        CHECK(word == (TYPE)(10 + (me + pes - 1) % pes));                                \
        shmem_barrier_all();                                                             \
        CHECK(shmem_##NAME##_atomic_swap(&word, (TYPE)5, next) == (TYPE)(10 + me));      \
        shmem_##NAME##_atomic_fetch_nbi(&result, &word, next);                           \
        shmem_quiet();                                                                   \
        CHECK(result == (TYPE)5);                                                        \
        shmem_##NAME##_atomic_swap_nbi(&result, &word, (TYPE)6, next);                   \
        shmem_quiet();                                                                   \
        CHECK(result == (TYPE)5 && shmem_##NAME##_atomic_fetch(&word, next) == (TYPE)6); \
        shmem_barrier_all();                                                             \
    }
SHMEM_EXTENDED_ATOMIC_TYPES_(TEST_EXTENDED, )

// The last value, -1, is the least of a signed type and the greatest of an unsigned one.
#define TEST_EXTREMES(F, NAME, TYPE)                                                                    \
    static void test_extremes_##NAME(int me, int pes) {                                                 \
        static TYPE low, high, old_low, old_high;                                                       \
        const TYPE all = (TYPE)(-1);                                                                    \
        const int is_signed = all < (TYPE)1;                                                            \
        const TYPE least = is_signed ? all : 10, greatest = is_signed ? (TYPE)(99 + pes) : all;         \
        low = 100;                                                                                      \
        high = 50;                                                                                      \
        shmem_barrier_all();                                                                            \
        CHECK(shmemx_##NAME##_atomic_fetch_min(&low, (TYPE)(99 - me), 0) <= 100);                       \
        CHECK(shmemx_##NAME##_atomic_fetch_max(&high, (TYPE)(51 + me), 0) >= 50);                       \
        shmemx_##NAME##_atomic_fetch_min_nbi(&old_low, &low, (TYPE)(60 + me), 0);                       \
        shmemx_##NAME##_atomic_fetch_max_nbi(&old_high, &high, (TYPE)(60 + me), 0);                     \
        shmem_quiet();                                                                                  \
        CHECK(old_low <= (TYPE)(99 - me) && old_high >= (TYPE)(51 + me));                               \
        shmemx_##NAME##_atomic_min(&low, (TYPE)(10 + me), 0);                                           \
        shmemx_ctx_##NAME##_atomic_max(SHMEM_CTX_DEFAULT, &high, (TYPE)(100 + me), 0);                  \
        shmem_barrier_all();                                                                            \
        CHECK(shmem_##NAME##_g(&low, 0) == 10 && shmem_##NAME##_g(&high, 0) == (TYPE)(99 + pes));       \
        shmem_barrier_all();                                                                            \
        shmemx_ctx_##NAME##_atomic_min(SHMEM_CTX_DEFAULT, &low, all, 0);                                \
        shmemx_##NAME##_atomic_max(&high, all, 0);                                                      \
        shmem_barrier_all();                                                                            \
        CHECK(shmemx_ctx_##NAME##_atomic_fetch_min(SHMEM_CTX_DEFAULT, &low, least, 0) == least);        \
        CHECK(shmemx_ctx_##NAME##_atomic_fetch_max(SHMEM_CTX_DEFAULT, &high, greatest, 0) == greatest); \
        shmem_barrier_all();                                                                            \
    }
SHMEM_ATOMIC_TYPES_(TEST_EXTREMES, )

void run_atomics(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
#define RUN_STANDARD(F, NAME, TYPE) test_##NAME(me, pes);
#define RUN_EXTENDED(F, NAME, TYPE) test_extended_##NAME(me, pes);
#define RUN_EXTREMES(F, NAME, TYPE) test_extremes_##NAME(me, pes);
    SHMEM_ATOMIC_TYPES_(RUN_STANDARD, )
    SHMEM_ATOMIC_TYPES_(RUN_EXTREMES, )
    SHMEM_EXTENDED_ATOMIC_TYPES_(RUN_EXTENDED, )
    shmem_finalize();
}
