// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.5, section 9.5 to 9.10: the generic calls of C11, every family with every type it has, where the call may
// take one also with a context.
#include "check.h"

static uint64_t signal_word;
static int me, pes, next;

// Lists of its own: a generic call expands the library's inside.
#define WORDS(X) \
    X(int, int)  \
    X(long, long) X(longlong, long long) X(uint, unsigned) X(ulong, unsigned long) X(ulonglong, unsigned long long)
#define SMALL(X) X(schar, signed char) X(uchar, unsigned char) X(short, short) X(ushort, unsigned short)
#define REALS(X) X(float, float) X(double, double)
#define SUMS(X) SMALL(X) WORDS(X) REALS(X) X(longdouble, long double)

#define TEST_RMA(NAME, TYPE)                                                                            \
    static void rma_##NAME(shmem_ctx_t ctx) {                                                           \
        static TYPE dest[8], source[8], all[64];                                                        \
        for (int i = 0; i < 8; i++) {                                                                   \
            source[i] = (TYPE)(i + 1);                                                                  \
        }                                                                                               \
        shmem_put(dest, source, 2, next);                                                               \
        shmem_put_nbi(ctx, dest + 2, source + 2, 2, next);                                              \
        shmem_iput(ctx, dest + 4, source + 4, 1, 2, 2, next);                                           \
        shmem_p(&dest[6], (TYPE)9, next);                                                               \
        shmem_put_signal(ctx, dest + 7, source, 1, &signal_word, 1, SHMEM_SIGNAL_ADD, next);            \
        shmem_ctx_quiet(ctx);                                                                           \
        CHECK(shmem_g(&dest[1], next) == (TYPE)2 && shmem_g(ctx, &dest[5], next) == (TYPE)7);           \
        TYPE back[4];                                                                                   \
        shmem_get(back, dest + 6, 2, next);                                                             \
        shmem_get_nbi(ctx, back + 2, dest + 2, 1, next);                                                \
        shmem_iget(back + 3, dest + 4, 1, 1, 1, next);                                                  \
        shmem_ctx_quiet(ctx);                                                                           \
        CHECK(back[0] == (TYPE)9 && back[1] == (TYPE)1 && back[2] == (TYPE)3 && back[3] == (TYPE)5);    \
        shmem_barrier_all();                                                                            \
        shmem_ibput(dest, source, 4, 3, 2, 2, next);                                                    \
        shmem_quiet();                                                                                  \
        CHECK(shmem_g(&dest[1], next) == (TYPE)2 && shmem_g(&dest[4], next) == (TYPE)4);                \
        shmem_ibget(ctx, back, dest, 2, 4, 1, 2, next);                                                 \
        CHECK(back[0] == (TYPE)1 && back[2] == (TYPE)4);                                                \
        shmem_barrier_all();                                                                            \
        CHECK(shmem_broadcast(SHMEM_TEAM_WORLD, dest, source, 4, pes - 1) == 0 && dest[3] == (TYPE)4);  \
        CHECK(shmem_fcollect(SHMEM_TEAM_WORLD, all, source, 2) == 0 && all[2 * pes - 1] == (TYPE)2);    \
        shmem_sync(SHMEM_TEAM_WORLD);                                                                   \
        CHECK(shmem_collect(SHMEM_TEAM_WORLD, all, source, 1) == 0 && all[pes - 1] == (TYPE)1);         \
        shmem_sync(SHMEM_TEAM_WORLD);                                                                   \
        CHECK(shmem_alltoall(SHMEM_TEAM_WORLD, all, source, 1) == 0 && all[pes - 1] == (TYPE)(me + 1)); \
        shmem_sync(SHMEM_TEAM_WORLD);                                                                   \
        CHECK(shmem_alltoalls(SHMEM_TEAM_WORLD, all, source, 2, 1, 1) == 0);                            \
        CHECK(all[2 * (pes - 1)] == (TYPE)(me + 1));                                                    \
        shmem_sync(SHMEM_TEAM_WORLD);                                                                   \
    }
SUMS(TEST_RMA)
TEST_RMA(char, char)

#define TEST_SUM(NAME, TYPE)                                                                              \
    static void sum_##NAME(void) {                                                                        \
        static TYPE dest[2], source[2];                                                                   \
        source[0] = source[1] = (TYPE)2;                                                                  \
        CHECK(shmem_sum_reduce(SHMEM_TEAM_WORLD, dest, source, 2) == 0 && dest[1] == (TYPE)(2 * pes));    \
        CHECK(shmem_prod_reduce(SHMEM_TEAM_WORLD, dest, source, 2) == 0 && dest[0] == (TYPE)(1 << pes));  \
        CHECK(shmem_sum_inscan(SHMEM_TEAM_WORLD, dest, source, 2) == 0 && dest[0] == (TYPE)(2 * me + 2)); \
        CHECK(shmem_sum_exscan(SHMEM_TEAM_WORLD, dest, source, 2) == 0 && dest[0] == (TYPE)(2 * me));     \
        shmem_sync(SHMEM_TEAM_WORLD);                                                                     \
    }
SUMS(TEST_SUM)

#define TEST_BITS(NAME, TYPE)                                                                                      \
    static void bits_##NAME(void) {                                                                                \
        static TYPE dest[1], source[1];                                                                            \
        source[0] = (TYPE)(1 << me | 64);                                                                          \
        CHECK(shmem_and_reduce(SHMEM_TEAM_WORLD, dest, source, 1) == 0);                                           \
        CHECK(dest[0] == (TYPE)(pes == 1 ? 65 : 64));                                                              \
        CHECK(shmem_or_reduce(SHMEM_TEAM_WORLD, dest, source, 1) == 0 && dest[0] == (TYPE)((1 << pes) - 1 + 64));  \
        CHECK(shmem_xor_reduce(SHMEM_TEAM_WORLD, dest, source, 1) == 0);                                           \
        CHECK(dest[0] == (TYPE)((1 << pes) - 1 + pes % 2 * 64));                                                   \
        CHECK(shmem_max_reduce(SHMEM_TEAM_WORLD, dest, source, 1) == 0 && dest[0] == (TYPE)(1 << (pes - 1) | 64)); \
        CHECK(shmem_min_reduce(SHMEM_TEAM_WORLD, dest, source, 1) == 0 && dest[0] == (TYPE)65);                    \
        shmem_sync(SHMEM_TEAM_WORLD);                                                                              \
    }
SMALL(TEST_BITS)
WORDS(TEST_BITS)

#define TEST_EXTENDED(NAME, TYPE)                                        \
    static void extended_##NAME(shmem_ctx_t ctx) {                       \
        static TYPE word, result;                                        \
        shmem_atomic_set(ctx, &word, (TYPE)3, next);                     \
        shmem_ctx_quiet(ctx);                                            \
        CHECK(shmem_atomic_fetch(&word, next) == (TYPE)3);               \
        CHECK(shmem_atomic_swap(ctx, &word, (TYPE)4, next) == (TYPE)3);  \
        shmem_atomic_fetch_nbi(ctx, &result, &word, next);               \
        shmem_ctx_quiet(ctx);                                            \
        CHECK(result == (TYPE)4);                                        \
        shmem_atomic_swap_nbi(&result, &word, (TYPE)5, next);            \
        shmem_quiet();                                                   \
        CHECK(result == (TYPE)4 && shmem_fetch(&word, next) == (TYPE)5); \
        shmem_barrier_all();                                             \
    }
WORDS(TEST_EXTENDED)
REALS(TEST_EXTENDED)

#define TEST_ATOMIC(NAME, TYPE)                                                                                \
    static void atomic_##NAME(shmem_ctx_t ctx) {                                                               \
        static TYPE word, result;                                                                              \
        shmem_atomic_inc(ctx, &word, next);                                                                    \
        shmem_atomic_add(ctx, &word, (TYPE)2, next);                                                           \
        shmem_atomic_or(ctx, &word, (TYPE)8, next);                                                            \
        shmem_ctx_quiet(ctx);                                                                                  \
        CHECK(shmem_atomic_fetch_inc(&word, next) == (TYPE)11);                                                \
        CHECK(shmem_atomic_fetch_add(ctx, &word, (TYPE)3, next) == (TYPE)12);                                  \
        CHECK(shmem_atomic_fetch_and(&word, (TYPE)7, next) == (TYPE)15);                                       \
        CHECK(shmem_atomic_fetch_or(&word, (TYPE)16, next) == (TYPE)7);                                        \
        CHECK(shmem_atomic_fetch_xor(&word, (TYPE)1, next) == (TYPE)23);                                       \
        CHECK(shmem_atomic_compare_swap(ctx, &word, (TYPE)22, (TYPE)1, next) == (TYPE)22);                     \
        shmem_atomic_compare_swap_nbi(ctx, &result, &word, (TYPE)1, (TYPE)2, next);                            \
        shmem_ctx_quiet(ctx);                                                                                  \
        CHECK(result == (TYPE)1);                                                                              \
        shmem_atomic_fetch_add_nbi(&result, &word, (TYPE)1, next);                                             \
        shmem_quiet();                                                                                         \
        CHECK(result == (TYPE)2);                                                                              \
        shmem_atomic_fetch_inc_nbi(&result, &word, next);                                                      \
        shmem_quiet();                                                                                         \
        shmem_atomic_fetch_xor_nbi(&result, &word, (TYPE)4, next);                                             \
        shmem_quiet();                                                                                         \
        CHECK(result == (TYPE)4);                                                                              \
        shmem_atomic_xor(&word, (TYPE)6, next);                                                                \
        shmem_atomic_and(&word, (TYPE)2, next);                                                                \
        shmem_barrier_all();                                                                                   \
        shmem_wait_until(&word, SHMEM_CMP_EQ, (TYPE)2);                                                        \
        CHECK(shmem_test(&word, SHMEM_CMP_LE, (TYPE)2));                                                       \
        CHECK(shmem_test_any(&word, 1, NULL, SHMEM_CMP_EQ, (TYPE)2) == 0);                                     \
        shmem_wait_until_all(&word, 1, NULL, SHMEM_CMP_NE, (TYPE)0);                                           \
        size_t which = 7;                                                                                      \
        TYPE wanted = (TYPE)2;                                                                                 \
        CHECK(shmem_wait_until_any(&word, 1, NULL, SHMEM_CMP_GT, (TYPE)1) == 0);                               \
        CHECK(shmem_wait_until_some(&word, 1, &which, NULL, SHMEM_CMP_GE, (TYPE)2) == 1);                      \
        CHECK(which == 0);                                                                                     \
        shmem_wait_until_all_vector(&word, 1, NULL, SHMEM_CMP_EQ, &wanted);                                    \
        CHECK(shmem_wait_until_any_vector(&word, 1, NULL, SHMEM_CMP_EQ, &wanted) == 0);                        \
        which = 7;                                                                                             \
        CHECK(shmem_wait_until_some_vector(&word, 1, &which, NULL, SHMEM_CMP_EQ, &wanted) == 1 && which == 0); \
        CHECK(shmem_test_all(&word, 1, NULL, SHMEM_CMP_EQ, (TYPE)2));                                          \
        CHECK(!shmem_test_all(&word, 1, NULL, SHMEM_CMP_LT, (TYPE)2));                                         \
        CHECK(shmem_test_some(&word, 1, &which, NULL, SHMEM_CMP_NE, (TYPE)2) == 0);                            \
        CHECK(shmem_test_all_vector(&word, 1, NULL, SHMEM_CMP_EQ, &wanted));                                   \
        CHECK(shmem_test_any_vector(&word, 1, NULL, SHMEM_CMP_NE, &wanted) == SIZE_MAX);                       \
        CHECK(shmem_test_some_vector(&word, 1, &which, NULL, SHMEM_CMP_EQ, &wanted) == 1);                     \
        shmem_barrier_all();                                                                                   \
    }
WORDS(TEST_ATOMIC)

void run_generic(void) {
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    next = (me + 1) % pes;
    CHECK(pes <= 5);
    shmem_ctx_t ctx;
    CHECK(shmem_ctx_create(0, &ctx) == 0);
#define RUN_RMA(NAME, TYPE) rma_##NAME(ctx);
#define RUN_SUM(NAME, TYPE) sum_##NAME();
#define RUN_BITS(NAME, TYPE) bits_##NAME();
#define RUN_EXTENDED(NAME, TYPE) extended_##NAME(ctx);
#define RUN_ATOMIC(NAME, TYPE) atomic_##NAME(ctx);
    SUMS(RUN_RMA)
    RUN_RMA(char, char)
    SUMS(RUN_SUM)
    SMALL(RUN_BITS)
    WORDS(RUN_BITS)
    WORDS(RUN_EXTENDED)
    REALS(RUN_EXTENDED)
    WORDS(RUN_ATOMIC)
    shmem_ctx_destroy(ctx);
    shmem_finalize();
}
