// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.5, sections 9.4 and 9.5: teams, their numbers, contexts on them, each completed by itself.
#include "check.h"

static int cell[64];

static void test_split_2d(int me, int pes) {
    shmem_team_t row, column;
    CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0, &column) == 0);
    CHECK(shmem_team_my_pe(row) == me % 2 && shmem_team_my_pe(column) == me / 2);
    CHECK(shmem_team_n_pes(row) == (me / 2 * 2 + 1 < pes ? 2 : 1));
    CHECK(shmem_team_n_pes(column) == (pes - me % 2 + 1) / 2);
    CHECK(shmem_team_translate_pe(column, 0, SHMEM_TEAM_WORLD) == me % 2);
    CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, me, row) == me % 2);
    CHECK(shmem_team_sync(row) == 0 && shmem_team_sync(column) == 0);
    shmem_team_destroy(row);
    shmem_team_destroy(column);
}

static void test_contexts(shmem_team_t team) {
    shmem_ctx_t first, second;
    shmem_team_t found;
    const int me = shmem_team_my_pe(team);
    const int pes = shmem_team_n_pes(team);
    CHECK(shmem_team_create_ctx(team, SHMEM_CTX_PRIVATE, &first) == 0);
    CHECK(shmem_team_create_ctx(team, 0, &second) == 0);
    CHECK(shmem_ctx_get_team(second, &found) == 0 && found == team);
    for (int i = 0; i < 32; i++) {
        shmem_ctx_int_p(first, &cell[i], 100 * me + i, (me + 1) % pes);
        shmem_ctx_int_put_nbi(second, &cell[32 + i], &i, 1, (me + 1) % pes);
    }
    shmem_ctx_quiet(first);
    shmem_ctx_fence(second);
    shmem_ctx_quiet(second);
    shmem_team_sync(team);
    for (int i = 0; i < 32; i++) {
        CHECK(cell[i] == 100 * ((me + pes - 1) % pes) + i && cell[32 + i] == i);
    }
    shmem_team_sync(team);  // only now may others write here again
    shmem_ctx_destroy(first);
    shmem_ctx_destroy(second);
    shmem_team_sync(team);  // the next test writes to the cells
}

// A team of which a new one is made at once: what the members of the first agreed on is not lost.
static void test_chain(int pes) {
    shmem_team_t team;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, NULL, 0, &team) == 0);
    for (int size = pes - 1; size > 0 && team != SHMEM_TEAM_INVALID; size--) {
        shmem_team_t smaller;
        CHECK(shmem_team_split_strided(team, 1, 1, size, NULL, 0, &smaller) == 0);
        shmem_team_destroy(team);
        team = smaller;
    }
    shmem_team_destroy(team);
    shmem_barrier_all();
}

// The team of those whose memory is mapped here, in the order of their numbers, and the same team backwards.
static void test_shared(int me, int pes) {
    static long own, sum, of_all[64];
    const int size = shmem_team_n_pes(SHMEM_TEAM_SHARED);
    long expected = 0;
    int next = 0;
    for (int pe = 0; pe < pes; pe++) {
        const int member = shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, SHMEM_TEAM_SHARED);
        CHECK((shmem_ptr(cell, pe) != NULL) == (member >= 0));
        if (member >= 0) {
            CHECK(member == next++ && shmem_team_translate_pe(SHMEM_TEAM_SHARED, member, SHMEM_TEAM_WORLD) == pe);
            CHECK(shmem_team_ptr(SHMEM_TEAM_SHARED, cell, member) == shmem_ptr(cell, pe));
            expected += pe * pe;
        }
    }
    CHECK(next == size && shmem_team_translate_pe(SHMEM_TEAM_SHARED, size, SHMEM_TEAM_WORLD) == -1);
    shmem_team_t backwards;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_SHARED, size - 1, -1, size, NULL, 0, &backwards) == 0);
    const int place = shmem_team_my_pe(SHMEM_TEAM_SHARED);
    CHECK(shmem_team_my_pe(backwards) == size - 1 - place);
    own = me * me;
    CHECK(shmem_long_sum_reduce(SHMEM_TEAM_SHARED, &sum, &own, 1) == 0 && sum == expected);
    CHECK(shmem_long_fcollect(backwards, of_all, &own, 1) == 0);
    for (int member = 0; member < size; member++) {
        const long pe = shmem_team_translate_pe(backwards, member, SHMEM_TEAM_WORLD);
        CHECK(of_all[member] == pe * pe);
    }
    test_contexts(backwards);
    shmem_team_destroy(backwards);
    test_contexts(SHMEM_TEAM_SHARED);
    shmem_barrier_all();
}

void run_teams(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    CHECK(shmem_team_my_pe(SHMEM_TEAM_WORLD) == me && shmem_team_n_pes(SHMEM_TEAM_WORLD) == pes);
    CHECK(shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1 && shmem_team_n_pes(SHMEM_TEAM_INVALID) == -1);
    test_shared(me, pes);
    shmem_team_t wrong;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes + 1, NULL, 0, &wrong) != 0);
    CHECK(wrong == SHMEM_TEAM_INVALID);

    // Again and again: numbers and words are used anew.
    for (int round = 0; round < 100; round++) {
        shmem_team_t part;
        const shmem_team_config_t config = {.num_contexts = 2};
        CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, pes - 1, -1, pes - round % 2, &config, SHMEM_TEAM_NUM_CONTEXTS,
                                       &part) == 0);
        if (part != SHMEM_TEAM_INVALID) {
            CHECK(shmem_team_my_pe(part) == pes - 1 - me);
            shmem_team_config_t got = {0};
            CHECK(shmem_team_get_config(part, SHMEM_TEAM_NUM_CONTEXTS, &got) == 0 && got.num_contexts == 2);
            shmem_team_sync(part);
            if (round < 2) {
                test_contexts(part);
            }
            shmem_team_destroy(part);
        }
    }
    test_split_2d(me, pes);
    for (int round = 0; round < 10; round++) {
        test_chain(pes);
    }
    test_contexts(SHMEM_TEAM_WORLD);
    shmem_finalize();
}
