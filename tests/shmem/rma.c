// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.5, sections 9.6 and 9.8: put, get, strided, blocks (1.6), and puts with a signal, of every type.
#include <string.h>

#include "check.h"

enum { COUNT = 300 };

static uint64_t signal_word;
static char bytes[40000];

// Each type: p and g, put and get, nbi, strided, blocks, all checked at the target.
#define TEST_TYPE(F, NAME, TYPE)                                                                         \
    static void test_##NAME(int me, int next, int previous) {                                            \
        static TYPE dest[4 * COUNT];                                                                     \
        TYPE source[COUNT], back[COUNT];                                                                 \
        for (int i = 0; i < COUNT; i++) {                                                                \
            source[i] = (TYPE)(me + i % 50);                                                             \
        }                                                                                                \
        shmem_##NAME##_put(dest, source, COUNT, next);                                                   \
        shmem_##NAME##_put_nbi(dest + COUNT, source, COUNT, next);                                       \
        shmem_##NAME##_iput(dest + 2 * COUNT, source, 2, 3, COUNT / 3, next);                            \
        shmem_##NAME##_ibput(dest + 3 * COUNT, source, 10, 5, 3, 20, next);                              \
        shmem_##NAME##_p(&dest[2 * COUNT + 1], (TYPE)77, next);                                          \
        shmem_barrier_all();                                                                             \
        for (int i = 0; i < COUNT; i++) {                                                                \
            CHECK(dest[i] == (TYPE)(previous + i % 50) && dest[COUNT + i] == dest[i]);                   \
        }                                                                                                \
        for (int i = 0; i < COUNT / 3; i++) {                                                            \
            CHECK(dest[2 * COUNT + 2 * i] == dest[3 * i]);                                               \
        }                                                                                                \
        for (int i = 0; i < 60; i++) {                                                                   \
            CHECK(dest[3 * COUNT + i / 3 * 10 + i % 3] == dest[i / 3 * 5 + i % 3]);                      \
        }                                                                                                \
        CHECK(dest[2 * COUNT + 1] == (TYPE)77 && shmem_##NAME##_g(&dest[1], next) == source[1]);         \
        shmem_##NAME##_get(back, dest, COUNT, next);                                                     \
        CHECK(memcmp(back, source, sizeof(TYPE)) == 0 && back[COUNT - 1] == source[COUNT - 1]);          \
        shmem_##NAME##_iget(back, dest, 1, 2, COUNT / 2, next);                                          \
        CHECK(back[7] == source[14]);                                                                    \
        shmem_##NAME##_get_nbi(back, dest, COUNT, next);                                                 \
        shmem_quiet();                                                                                   \
        CHECK(back[14] == source[14]);                                                                   \
        shmem_barrier_all();                                                                             \
        shmem_##NAME##_put_signal(dest, source + 1, COUNT - 1, &signal_word, 1, SHMEM_SIGNAL_ADD, next); \
        shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 1);                                          \
        CHECK(dest[COUNT - 2] == (TYPE)(previous + (COUNT - 1) % 50));                                   \
        shmem_barrier_all();                                                                             \
        signal_word = 0;                                                                                 \
        shmem_barrier_all();                                                                             \
    }
SHMEM_TYPES_(TEST_TYPE, )

// Longer than a packet, across a block of 64 KiB or not: the signal never comes before the data.
static void test_signals(int next, int previous) {
    char source[sizeof(bytes)];
    for (int round = 1; round <= 5; round++) {
        memset(source, round + shmem_my_pe(), sizeof(source));
        const size_t size = sizeof(bytes) / (size_t)round;
        shmem_putmem_signal_nbi(bytes, source, size, &signal_word, (uint64_t)round, SHMEM_SIGNAL_SET, next);
        CHECK(shmem_signal_wait_until(&signal_word, SHMEM_CMP_GE, (uint64_t)round) == (uint64_t)round);
        CHECK(bytes[0] == round + previous && bytes[size - 1] == round + previous);
        shmem_barrier_all();
    }
    shmem_signal_set(&signal_word, 40, next);
    shmem_fence();
    shmem_signal_add(&signal_word, 2, next);
    shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 42);
    CHECK(shmem_signal_fetch(&signal_word) == 42);
}

void run_rma(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    const int next = (me + 1) % pes;
    const int previous = (me + pes - 1) % pes;
#define RUN(F, NAME, TYPE) test_##NAME(me, next, previous);
    SHMEM_TYPES_(RUN, )
    test_signals(next, previous);
    shmem_finalize();
}
