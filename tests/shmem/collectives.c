// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.5, section 9.9, and scans (1.6): over the world, over every second PE, and over active sets; the results
// are computed a second time by hand.
#include "check.h"

enum { COUNT = 40, PES_MAX = 8 };

static long source[COUNT * PES_MAX], dest[COUNT * PES_MAX * 2], work[COUNT + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long sync_words[SHMEM_REDUCE_SYNC_SIZE];
static double real_source[3], real_dest[3];
static _Complex double complex_source[2], complex_dest[2];

static long value(int member, int i) {
    return member * 1000 + i % 7;
}

static void fill(int member, int count) {
    for (int i = 0; i < count; i++) {
        source[i] = value(member, i);
    }
}

static void test_data(shmem_team_t team) {
    const int me = shmem_team_my_pe(team);
    const int pes = shmem_team_n_pes(team);
    for (int root = 0; root < pes; root++) {
        fill(me, COUNT);
        CHECK(shmem_long_broadcast(team, dest, source, COUNT, root) == 0);
        CHECK(dest[0] == value(root, 0) && dest[COUNT - 1] == value(root, COUNT - 1));
        shmem_team_sync(team);
    }
    CHECK(shmem_long_fcollect(team, dest, source, COUNT) == 0);
    for (int i = 0; i < COUNT * pes; i++) {
        CHECK(dest[i] == value(i / COUNT, i % COUNT));
    }
    shmem_team_sync(team);
    CHECK(shmem_long_collect(team, dest, source, (size_t)me + 1) == 0);
    for (int member = 0, at = 0; member < pes; member++) {
        for (int i = 0; i <= member; i++) {
            CHECK(dest[at++] == value(member, i));
        }
    }
    fill(me, COUNT * pes);
    shmem_team_sync(team);
    CHECK(shmem_long_alltoall(team, dest, source, COUNT) == 0);
    for (int i = 0; i < COUNT * pes; i++) {
        CHECK(dest[i] == value(i / COUNT, me * COUNT + i % COUNT));
    }
    shmem_team_sync(team);
    CHECK(shmem_long_alltoalls(team, dest, source, 2, 1, COUNT) == 0);
    CHECK(dest[2 * (COUNT * pes - 1)] == value(pes - 1, me * COUNT + COUNT - 1));
    shmem_team_sync(team);
}

static void test_reductions(shmem_team_t team) {
    const int me = shmem_team_my_pe(team);
    const int pes = shmem_team_n_pes(team);
    for (size_t count = 1; count <= COUNT; count += COUNT - 1) {
        long sum = 0, bits = 0, odd = 0;
        for (int member = 0; member < pes; member++) {
            sum += value(member, 0);
            bits |= value(member, 0);
            odd ^= value(member, 0);
        }
        fill(me, COUNT);
        CHECK(shmem_long_sum_reduce(team, dest, source, count) == 0 && dest[0] == sum);
        CHECK(shmem_long_max_reduce(team, dest, source, count) == 0 && dest[0] == value(pes - 1, 0));
        CHECK(shmem_long_min_reduce(team, dest, source, count) == 0 && dest[0] == 0);
        CHECK(shmem_long_or_reduce(team, dest, source, count) == 0 && dest[0] == bits);
        CHECK(shmem_long_xor_reduce(team, dest, source, count) == 0 && dest[0] == odd);
        CHECK(shmem_ulong_max_reduce(team, (unsigned long*)dest, (unsigned long*)source, count) == 0);
        CHECK(dest[0] == value(pes - 1, 0));
        // In place.
        CHECK(shmem_long_sum_reduce(team, source, source, count) == 0 && source[0] == sum);
    }
    fill(me, COUNT);
    long below = 0;
    for (int member = 0; member < me; member++) {
        below += value(member, 5);
    }
    CHECK(shmem_long_sum_exscan(team, dest, source, COUNT) == 0 && dest[5] == below);
    CHECK(shmem_long_sum_inscan(team, source, source, COUNT) == 0 && source[5] == below + value(me, 5));
    real_source[2] = 0.5 + me;
    CHECK(shmem_double_sum_reduce(team, real_dest, real_source, 3) == 0);
    CHECK(real_dest[2] == 0.5 * pes + pes * (pes - 1) / 2);
    complex_source[1] = me + 2.0i;
    CHECK(shmem_complexd_sum_reduce(team, complex_dest, complex_source, 2) == 0);
    CHECK(complex_dest[1] == pes * (pes - 1) / 2 + 2.0i * pes);
    shmem_team_sync(team);
}

static void test_active_sets(int me, int pes) {
    const int size = (pes + 1) / 2;
    if (me % 2 == 0) {
        fill(me / 2, COUNT);
        dest[0] = -1;
        shmem_barrier(0, 1, size, sync_words);
        shmem_broadcast64(dest, source, COUNT, size - 1, 0, 1, size, sync_words);
        CHECK(dest[0] == (me / 2 == size - 1 ? -1 : value(size - 1, 0)));
        shmem_sync(0, 1, size, sync_words);
        shmem_fcollect64(dest, source, COUNT, 0, 1, size, sync_words);
        CHECK(dest[COUNT * size - 1] == value(size - 1, COUNT - 1));
        shmem_barrier(0, 1, size, sync_words);
        shmem_collect64(dest, source, 3, 0, 1, size, sync_words);
        CHECK(dest[3 * size - 1] == value(size - 1, 2));
        shmem_long_max_to_all(dest, source, COUNT, 0, 1, size, work, sync_words);
        CHECK(dest[1] == value(size - 1, 1));
    }
    shmem_barrier_all();
}

void run_collectives(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    CHECK(pes <= PES_MAX);
    test_data(SHMEM_TEAM_WORLD);
    test_reductions(SHMEM_TEAM_WORLD);
    shmem_team_t even;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (pes + 1) / 2, NULL, 0, &even) == 0);
    if (even != SHMEM_TEAM_INVALID) {
        test_data(even);
        test_reductions(even);
        shmem_team_destroy(even);
    }
    test_active_sets(me, pes);
    shmem_finalize();
}
