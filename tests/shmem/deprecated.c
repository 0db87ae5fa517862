// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.5, annex on deprecated calls: start_pes and its time's names, atomics without `atomic` in their names,
// wait, cache calls, and the collectives over active sets that collectives.c leaves out.
#include "check.h"

enum { COUNT = 5, PES_MAX = 8 };

static long word, sync_words[_SHMEM_ALLTOALL_SYNC_SIZE];
static int work[COUNT + _SHMEM_REDUCE_MIN_WRKDATA_SIZE], ints[COUNT], sums[COUNT];
static int32_t source[COUNT * PES_MAX * 2], dest[COUNT * PES_MAX * 2];

void run_deprecated(void) {
    start_pes(0);
    const int me = _my_pe();
    const int pes = _num_pes();
    CHECK(me == shmem_my_pe() && pes == shmem_n_pes() && pes <= PES_MAX);
    for (int i = 0; i < _SHMEM_ALLTOALL_SYNC_SIZE; i++) {
        sync_words[i] = _SHMEM_SYNC_VALUE;
    }
    shmem_barrier_all();

    shmem_long_inc(&word, 0);
    shmem_long_add(&word, 2, 0);
    (void)shmem_long_finc(&word, 0);
    (void)shmem_long_fadd(&word, 3, 0);
    shmem_barrier_all();
    CHECK(shmem_long_fetch(&word, 0) == 7L * pes);
    shmem_barrier_all();
    if (me == 0) {
        CHECK(shmem_long_cswap(&word, 7L * pes, 1, 0) == 7L * pes && shmem_long_swap(&word, 2, 0) == 1);
        for (int pe = 0; pe < pes; pe++) {
            shmem_long_set(&word, 9, pe);
        }
        shmem_quiet();
    }
    shmem_wait_until(&word, _SHMEM_CMP_EQ, 9);
    shmem_wait(&word, 0);
    shmem_long_wait(&word, 8);
    shmem_clear_cache_inv();
    shmem_set_cache_inv();
    shmem_clear_cache_line_inv(&word);
    shmem_set_cache_line_inv(&word);
    shmem_udcflush();
    shmem_udcflush_line(&word);

    char* old = shmalloc(10);
    old = shrealloc(old, 100);
    CHECK(old != NULL && shmem_addr_accessible(old, me));
    shfree(old);
    void* const aligned = shmemalign(256, 8);
    CHECK(aligned != NULL && (uintptr_t)aligned % 256 == 0);
    shfree(aligned);

    for (int i = 0; i < COUNT * pes * 2; i++) {
        source[i] = 100 * me + i;
    }
    for (int i = 0; i < COUNT; i++) {
        ints[i] = 1 << me;
    }
    shmem_barrier_all();
    shmem_alltoall32(dest, source, COUNT, 0, 0, pes, sync_words);
    for (int i = 0; i < COUNT * pes; i++) {
        CHECK(dest[i] == 100 * (i / COUNT) + me * COUNT + i % COUNT);
    }
    shmem_barrier_all();
    shmem_alltoalls32(dest, source, 2, 2, COUNT, 0, 0, pes, sync_words);
    CHECK(dest[2 * (COUNT * pes - 1)] == 100 * (pes - 1) + 2 * (me * COUNT + COUNT - 1));
    shmem_barrier_all();
    shmem_fcollect32(dest, source, 1, 0, 0, pes, sync_words);
    CHECK(dest[pes - 1] == 100 * (pes - 1));
    shmem_barrier_all();
    shmem_collect32(dest, source, (size_t)me, 0, 0, pes, sync_words);
    CHECK(pes == 1 || dest[0] == 100);
    shmem_barrier_all();
    shmem_broadcast32(dest, source, 1, pes - 1, 0, 0, pes, sync_words);
    CHECK(me == pes - 1 || dest[0] == 100 * (pes - 1));
    shmem_int_sum_to_all(sums, ints, COUNT, 0, 0, pes, work, sync_words);
    CHECK(sums[COUNT - 1] == (1 << pes) - 1);
    shmem_barrier_all();
    shmem_int_or_to_all(sums, ints, COUNT, 0, 0, pes, work, sync_words);
    CHECK(sums[0] == (1 << pes) - 1);
    shmem_barrier_all();
    shmem_int_and_to_all(sums, ints, COUNT, 0, 0, pes, work, sync_words);
    CHECK(sums[0] == (pes == 1));
    shmem_finalize();
}
