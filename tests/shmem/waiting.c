// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.5, sections 9.10 to 9.12: waiting and testing, ordering, locks.
#include "check.h"

enum { COUNT = 6 };

#define TEST_TYPE(F, NAME, TYPE)                                                                                    \
    static void test_##NAME(int me, int pes) {                                                                      \
        static TYPE words[COUNT];                                                                                   \
        TYPE wanted[COUNT] = {1, 2, 3, 4, 5, 6};                                                                    \
        const int status[COUNT] = {0, 0, 1, 0, 0, 0};                                                               \
        size_t indices[COUNT];                                                                                      \
        const int next = (me + 1) % pes;                                                                            \
        for (int i = 0; i < COUNT; i++) {                                                                           \
            if (i != 2) {                                                                                           \
                shmem_##NAME##_p(&words[i], wanted[i], next);                                                       \
                shmem_fence();                                                                                      \
            }                                                                                                       \
        }                                                                                                           \
        shmem_##NAME##_wait_until(&words[5], SHMEM_CMP_EQ, 6);                                                      \
        CHECK(words[0] == 1 && words[4] == 5);                                                                      \
        CHECK(shmem_##NAME##_test(&words[5], SHMEM_CMP_GE, 6) && !shmem_##NAME##_test(&words[2], SHMEM_CMP_NE, 0)); \
        shmem_##NAME##_wait_until_all(words, COUNT, status, SHMEM_CMP_NE, 0);                                       \
        shmem_##NAME##_wait_until_all_vector(words, COUNT, status, SHMEM_CMP_EQ, wanted);                           \
        CHECK(shmem_##NAME##_wait_until_any(words, COUNT, status, SHMEM_CMP_EQ, 4) == 3);                           \
        CHECK(shmem_##NAME##_wait_until_any_vector(words, COUNT, status, SHMEM_CMP_LE, wanted) != 2);               \
        CHECK(shmem_##NAME##_wait_until_some(words, COUNT, indices, status, SHMEM_CMP_GT, 4) == 2);                 \
        CHECK(indices[0] == 4 && indices[1] == 5);                                                                  \
        CHECK(shmem_##NAME##_wait_until_some_vector(words, COUNT, indices, status, SHMEM_CMP_EQ, wanted) == 5);     \
        CHECK(!shmem_##NAME##_test_all(words, COUNT, NULL, SHMEM_CMP_NE, 0));                                       \
        CHECK(shmem_##NAME##_test_any(words, COUNT, NULL, SHMEM_CMP_EQ, 0) == 2);                                   \
        CHECK(shmem_##NAME##_test_any(words, COUNT, NULL, SHMEM_CMP_EQ, 99) == SIZE_MAX);                           \
        CHECK(shmem_##NAME##_test_some(words, COUNT, indices, NULL, SHMEM_CMP_LT, 3) == 3);                         \
        CHECK(shmem_##NAME##_test_all_vector(words, COUNT, status, SHMEM_CMP_EQ, wanted));                          \
        CHECK(shmem_##NAME##_test_any_vector(words, COUNT, status, SHMEM_CMP_NE, wanted) == SIZE_MAX);              \
        CHECK(shmem_##NAME##_test_some_vector(words, COUNT, indices, NULL, SHMEM_CMP_EQ, wanted) == 5);             \
    }
SHMEM_WAIT_TYPES_(TEST_TYPE, )

static long lock, counter;

// The data written under the lock is there for its next holder.
static void test_locks(int pes) {
    for (int i = 0; i < 30; i++) {
        shmem_set_lock(&lock);
        const long before = shmem_long_g(&counter, pes - 1);
        shmem_long_p(&counter, before + 1, pes - 1);
        shmem_clear_lock(&lock);
    }
    for (int taken = 0; taken < 5;) {
        if (shmem_test_lock(&lock) == 0) {
            shmem_long_p(&counter, shmem_long_g(&counter, pes - 1) + 1, pes - 1);
            shmem_clear_lock(&lock);
            taken++;
        }
    }
    shmem_barrier_all();
    CHECK(shmem_long_g(&counter, pes - 1) == 35 * pes && lock == 0);
}

void run_waiting(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
#define RUN(F, NAME, TYPE) test_##NAME(me, pes);
    SHMEM_WAIT_TYPES_(RUN, )
    const int all[1] = {me};
    shmem_pe_quiet(all, 1);
    test_locks(pes);
    shmem_finalize();
}
