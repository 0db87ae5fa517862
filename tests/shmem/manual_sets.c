// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.6: what its examples show of teams and of collective calls.
//
// Method: as manual_data.c.
#include "check.h"

static int me, pes;

// 9.4: the PEs 0, 2, 4 and so on; their numbers in the team and in the job.
static void every_other(void) {
    shmem_team_t team = SHMEM_TEAM_INVALID;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (pes + 1) / 2, NULL, 0, &team) == 0);
    CHECK((team != SHMEM_TEAM_INVALID) == (me % 2 == 0));
    if (team != SHMEM_TEAM_INVALID) {
        CHECK(shmem_team_n_pes(team) == (pes + 1) / 2 && shmem_team_my_pe(team) == me / 2);
        CHECK(shmem_team_translate_pe(team, me / 2, SHMEM_TEAM_WORLD) == me);
    }
    shmem_team_destroy(team);
}

// 9.4: three dimensions by two splits; each PE has the place that follows from its number.
static void three_dimensions(void) {
    const int x = pes % 2 == 0 ? 2 : 1;
    const int y = pes / x % 2 == 0 ? 2 : 1;
    shmem_team_t x_team, yz_team, y_team, z_team;
    CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, x, NULL, 0, &x_team, NULL, 0, &yz_team) == 0);
    CHECK(shmem_team_split_2d(yz_team, y, NULL, 0, &y_team, NULL, 0, &z_team) == 0);
    shmem_team_destroy(yz_team);
    const int at = shmem_team_my_pe(x_team) + x * (shmem_team_my_pe(y_team) + y * shmem_team_my_pe(z_team));
    CHECK(at == me && shmem_team_n_pes(x_team) * shmem_team_n_pes(y_team) * shmem_team_n_pes(z_team) == pes);
    shmem_team_destroy(x_team);
    shmem_team_destroy(y_team);
    shmem_team_destroy(z_team);
}

// 9.5: contexts of two teams that overlap, in whose rings each PE puts its number; a PE in both adds them up.
static void two_teams(void) {
    static int sum, value[2];
    const int steps[2] = {2, 3};
    shmem_team_t team[2];
    shmem_ctx_t ctx[2];
    const shmem_team_config_t config = {.num_contexts = 1};
    for (int i = 0; i < 2; i++) {
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, steps[i], (pes + steps[i] - 1) / steps[i], &config,
                                       SHMEM_TEAM_NUM_CONTEXTS, &team[i]) == 0);
        CHECK((shmem_team_create_ctx(team[i], 0, &ctx[i]) == 0) == (team[i] != SHMEM_TEAM_INVALID));
        CHECK((ctx[i] == SHMEM_CTX_INVALID) == (team[i] == SHMEM_TEAM_INVALID));
    }
    for (int i = 0; i < 2; i++) {
        if (ctx[i] != SHMEM_CTX_INVALID) {
            const int number = shmem_team_my_pe(team[i]);
            shmem_ctx_int_put(ctx[i], &value[i], &number, 1, (number + 1) % shmem_team_n_pes(team[i]));
        }
        shmem_ctx_quiet(ctx[i]);
    }
    shmem_team_sync(SHMEM_TEAM_WORLD);
    if (ctx[0] != SHMEM_CTX_INVALID && ctx[1] != SHMEM_CTX_INVALID) {
        shmem_ctx_int_atomic_add(ctx[0], &sum, value[0] + value[1], 0);
    }
    shmem_ctx_quiet(ctx[0]);
    shmem_team_sync(SHMEM_TEAM_WORLD);
    int expected = 0;
    for (int pe = 0; pe < pes; pe += 6) {
        for (int i = 0; i < 2; i++) {
            const int size = (pes + steps[i] - 1) / steps[i];
            expected += (pe / steps[i] + size - 1) % size;
        }
    }
    CHECK(me != 0 || sum == expected);
    for (int i = 0; i < 2; i++) {
        shmem_ctx_destroy(ctx[i]);
        shmem_team_destroy(team[i]);
    }
}

// 9.9: a barrier of all, one of the even PEs as an active set, and syncs of teams that overlap.
static void barriers(void) {
    static int all = 1010, even = 10101, x = 1;
    static long psync[SHMEM_BARRIER_SYNC_SIZE];
    shmem_p(&all, 4, (me + 1) % pes);
    shmem_barrier_all();
    CHECK(all == 4);
    const int evens = (pes + 1) / 2;
    if (me % 2 == 0) {
        shmem_p(&even, 4, me + 2 < pes ? me + 2 : 0);
        shmem_barrier(0, 1, evens, psync);
    }
    CHECK(even == (me % 2 == 0 ? 4 : 10101));
    for (int step = 2; step <= 3; step++) {
        shmem_team_t team = SHMEM_TEAM_INVALID;
        if (pes > step) {
            CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, step, step, (pes - 1) / step, NULL, 0, &team) == 0);
        }
        if (team != SHMEM_TEAM_INVALID) {
            const int next = (shmem_team_my_pe(team) + 1) % shmem_team_n_pes(team);
            shmem_p(&x, step, shmem_team_translate_pe(team, next, SHMEM_TEAM_WORLD));
            shmem_quiet();
            shmem_sync(team);
        }
        shmem_sync(SHMEM_TEAM_WORLD);
        shmem_team_destroy(team);
    }
    CHECK(x == (me > 0 && me % 3 == 0 ? 3 : me > 0 && me % 2 == 0 ? 2 : 1));
}

// 9.9: broadcast, collect of ever more elements, alltoall and alltoalls.
static void exchanging(void) {
    static long source[4], dest[4];
    for (int i = 0; me == 0 && i < 4; i++) {
        source[i] = i + 1;
    }
    CHECK(shmem_broadcast(SHMEM_TEAM_WORLD, dest, source, 4, 0) == 0 && dest[0] == 1 && dest[3] == 4);

    const int total = pes * (pes + 1) / 2;
    int* const mine = shmem_malloc((size_t)pes * sizeof(int));
    int* const collected = shmem_calloc((size_t)total, sizeof(int));
    for (int i = 0; i <= me; i++) {
        mine[i] = me * (me + 1) / 2 + i;
    }
    shmem_team_sync(SHMEM_TEAM_WORLD);
    CHECK(shmem_int_collect(SHMEM_TEAM_WORLD, collected, mine, (size_t)me + 1) == 0);
    for (int i = 0; i < total; i++) {
        CHECK(collected[i] == i);
    }

    enum { count = 2, dst = 2, sst = 3 };
    int64_t* const from = shmem_calloc((size_t)(count * sst * pes), sizeof(int64_t));
    int64_t* const to = shmem_calloc((size_t)(count * dst * pes), sizeof(int64_t));
    for (int strided = 0; strided < 2; strided++) {
        for (int i = 0; i < count * pes; i++) {
            from[i * (strided ? sst : 1)] = me + i / count;
            to[i * (strided ? dst : 1)] = -1;
        }
        shmem_team_sync(SHMEM_TEAM_WORLD);
        CHECK((strided ? shmem_int64_alltoalls(SHMEM_TEAM_WORLD, to, from, dst, sst, count)
                       : shmem_int64_alltoall(SHMEM_TEAM_WORLD, to, from, count)) == 0);
        for (int i = 0; i < count * pes; i++) {
            CHECK(to[i * (strided ? dst : 1)] == me + i / count);
        }
        shmem_team_sync(SHMEM_TEAM_WORLD);
    }
    shmem_free(to);
    shmem_free(from);
    shmem_free(collected);
    shmem_free(mine);
}

// 9.9: where a maximum occurs, by a reduction with or; how often, by one with sum.
static void reducing(void) {
    enum { count = 32 };
    unsigned char* const is_largest = shmem_calloc(count, 1);
    unsigned char* const anywhere = shmem_calloc(count, 1);
    static int here, everywhere;
    int expected = 0;
    for (int i = 0; i < count; i++) {
        is_largest[i] = (unsigned char)((me + i) % pes == pes - 1);
        here += is_largest[i];
        expected += 1;
    }
    shmem_sync(SHMEM_TEAM_WORLD);
    CHECK(shmem_or_reduce(SHMEM_TEAM_WORLD, anywhere, is_largest, count) == 0);
    CHECK(shmem_sum_reduce(SHMEM_TEAM_WORLD, &everywhere, &here, 1) == 0 && everywhere == expected);
    for (int i = 0; i < count; i++) {
        CHECK(anywhere[i] == 1);
    }
    shmem_free(anywhere);
    shmem_free(is_largest);
}

// 9.9: blocks of different lengths are collected at one PE, whose offsets an exclusive scan gives.
static void scanning(void) {
    static size_t bytes;
    char* const gathered = shmem_calloc((size_t)(pes * (pes + 1) / 2), 1);
    char mine[256];
    for (int i = 0; i <= me; i++) {
        mine[i] = (char)('a' + me);
    }
    bytes = (size_t)me + 1;
    shmem_team_sync(SHMEM_TEAM_WORLD);
    CHECK(shmem_sum_exscan(SHMEM_TEAM_WORLD, &bytes, &bytes, 1) == 0 && bytes == (size_t)(me * (me + 1) / 2));
    shmem_putmem(gathered + bytes, mine, (size_t)me + 1, pes - 1);
    shmem_quiet();
    shmem_team_sync(SHMEM_TEAM_WORLD);
    for (int pe = 0, at = 0; me == pes - 1 && pe < pes; pe++) {
        for (int i = 0; i <= pe; i++) {
            CHECK(gathered[at++] == 'a' + pe);
        }
    }
    shmem_free(gathered);
}

void run_manual_sets(void) {
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    every_other();
    three_dimensions();
    two_teams();
    barriers();
    exchanging();
    reducing();
    scanning();
    shmem_finalize();
}
