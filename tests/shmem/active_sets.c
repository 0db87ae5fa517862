// SPDX-License-Identifier: BSD-3-Clause
// The deprecated collectives over active sets (1.5, annex on deprecated calls), made by all PEs: also by those outside
// the set, as many programs do.
//
// Method: the members begin a call only when every PE outside the set has come back from it and has told them. Their
// dest must hold the result then, that of the others what it held before. A call that kept a PE from outside would
// hang.
#include <string.h>

#include "check.h"

enum { COUNT = 3, PES_MAX = 8 };

struct set {
    int start, log_stride, size;
};

static long returned;  // how often a PE from outside has come back
static long expected;  // of that, so far
static long sync_words[SHMEM_ALLTOALLS_SYNC_SIZE];
static long double work[COUNT + SHMEM_REDUCE_MIN_WRKDATA_SIZE];
static long double source[COUNT * PES_MAX], dest[COUNT * PES_MAX];

static int is_member(const struct set* set) {
    const int offset = shmem_my_pe() - set->start;
    return offset >= 0 && offset % (1 << set->log_stride) == 0 && offset >> set->log_stride < set->size;
}

static void begin(const struct set* set) {
    memset(dest, 0x55, sizeof(dest));
    shmem_barrier_all();
    if (is_member(set)) {
        expected += shmem_n_pes() - set->size;
        shmem_long_wait_until(&returned, SHMEM_CMP_EQ, expected);
    }
}

static void end(const struct set* set) {
    if (is_member(set)) {
        return;
    }
    for (size_t i = 0; i < sizeof(dest); i++) {
        CHECK(((const char*)dest)[i] == 0x55);
    }
    for (int i = 0; i < set->size; i++) {
        shmem_long_atomic_inc(&returned, set->start + (i << set->log_stride));
    }
    shmem_quiet();
}

#define ACTIVE_SET set->start, set->log_stride, set->size

// Every source holds ones; RESULT is each element of a member's dest.
#define CALL(TYPE, ELEMENTS, RESULT, ...)                                  \
    do {                                                                   \
        for (int i_ = 0; i_ < COUNT * PES_MAX; i_++) {                     \
            ((TYPE*)source)[i_] = (TYPE)1;                                 \
        }                                                                  \
        begin(set);                                                        \
        __VA_ARGS__;                                                       \
        end(set);                                                          \
        for (int i_ = 0; i_ < (ELEMENTS); i_++) {                          \
            CHECK(!is_member(set) || ((TYPE*)dest)[i_] == (TYPE)(RESULT)); \
        }                                                                  \
    } while (0)

#define TO_ALL(NAME, TYPE, VERB, RESULT) \
    CALL(TYPE, COUNT, RESULT,            \
         shmem_##NAME##_##VERB##_to_all((TYPE*)dest, (TYPE*)source, COUNT, ACTIVE_SET, (TYPE*)work, sync_words));
#define TO_ALL_BITS(F, NAME, TYPE) \
    TO_ALL(NAME, TYPE, and, 1)     \
    TO_ALL(NAME, TYPE, or, 1)      \
    TO_ALL(NAME, TYPE, xor, set->size % 2)
#define TO_ALL_ORDER(F, NAME, TYPE) \
    TO_ALL(NAME, TYPE, max, 1)      \
    TO_ALL(NAME, TYPE, min, 1)
#define TO_ALL_SUM(F, NAME, TYPE)      \
    TO_ALL(NAME, TYPE, sum, set->size) \
    TO_ALL(NAME, TYPE, prod, 1)

static void reductions(const struct set* set){SHMEM_TO_ALL_INTEGER_TYPES_(TO_ALL_BITS, )
                                                  SHMEM_TO_ALL_TYPES_(TO_ALL_ORDER, )
                                                      SHMEM_TO_ALL_SUM_TYPES_(TO_ALL_SUM, )}
#define MOVES(BITS)                                                                                               \
    static void moves##BITS(const struct set* set) {                                                              \
        const int root = set->size - 1;                                                                           \
        const int others = shmem_my_pe() == set->start + (root << set->log_stride) ? 0 : COUNT;                   \
        const int all = COUNT * set->size;                                                                        \
        CALL(int##BITS##_t, others, 1, shmem_broadcast##BITS(dest, source, COUNT, root, ACTIVE_SET, sync_words)); \
        CALL(int##BITS##_t, all, 1, shmem_collect##BITS(dest, source, COUNT, ACTIVE_SET, sync_words));            \
        CALL(int##BITS##_t, all, 1, shmem_fcollect##BITS(dest, source, COUNT, ACTIVE_SET, sync_words));           \
        CALL(int##BITS##_t, all, 1, shmem_alltoall##BITS(dest, source, COUNT, ACTIVE_SET, sync_words));           \
        CALL(int##BITS##_t, all, 1, shmem_alltoalls##BITS(dest, source, 1, 1, COUNT, ACTIVE_SET, sync_words));    \
    }
MOVES(32) MOVES(64)

    static void barriers(const struct set* set) {
    CALL(char, 0, 0, shmem_barrier(ACTIVE_SET, sync_words));
    CALL(char, 0, 0, shmem_sync(ACTIVE_SET, sync_words));
}

void run_active_sets(void) {
    shmem_init();
    const int pes = shmem_n_pes();
    CHECK(pes > 1 && pes <= PES_MAX);
    for (int i = 0; i < SHMEM_ALLTOALLS_SYNC_SIZE; i++) {
        sync_words[i] = SHMEM_SYNC_VALUE;
    }
    const struct set sets[] = {{0, 0, pes},     {0, 0, pes - 1},       {1, 0, pes - 1}, {0, 0, 1},
                               {pes - 1, 0, 1}, {0, 1, (pes + 1) / 2}, {1, 1, pes / 2}};
    for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
        barriers(&sets[i]);
        reductions(&sets[i]);
        moves32(&sets[i]);
        moves64(&sets[i]);
    }
    shmem_finalize();
}
