// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.5, section 9.7: every atomic of every type, all PEs on one word.
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

int run_atomics(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
#define RUN_STANDARD(F, NAME, TYPE) test_##NAME(me, pes);
#define RUN_EXTENDED(F, NAME, TYPE) test_extended_##NAME(me, pes);
    SHMEM_ATOMIC_TYPES_(RUN_STANDARD, )
    SHMEM_EXTENDED_ATOMIC_TYPES_(RUN_EXTENDED, )
    shmem_finalize();
    return 0;
}
