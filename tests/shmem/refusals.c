// SPDX-License-Identifier: BSD-3-Clause
// Sizes that overflow, and NULL, are refused by every call that takes a number of elements or memory of the caller's.
//
// Method: `refusals <family>` makes every call of a family, from the lists of types that the library itself is made
// from, each in a child that is a job of one PE. The call must end it with status 1 and one error message, which names
// the call and what is wrong. Elements are so many that their length in 64 bits is that of two, which are there.
// `refusals all` looks for calls with a number of elements that are in no family.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long double to[64], from[64];
static uint64_t word;
static int status[64];
static size_t indices[64];
static long sync_words[SHMEM_ALLTOALLS_SYNC_SIZE];

#define COUNT(BYTES) (SIZE_MAX / (BYTES) + ((BYTES) > 1 ? 3 : 0))
#define STRIDE(BYTES) ((ptrdiff_t)(SIZE_MAX / (BYTES) / 2 + 1)) /* twice that is nothing */

// F(NAME, CASE, ARGUMENTS) of a call with and without a context.
#define BOTH(F, NAME, CASE, ...) \
    F(NAME, CASE, __VA_ARGS__)   \
    F(ctx_##NAME, CASE, SHMEM_CTX_DEFAULT, __VA_ARGS__)

#define BULK(F, PUT, GET, T, BYTES)                                                                       \
    BOTH(F, PUT, count, (T*)to, (const T*)from, COUNT(BYTES), 0)                                          \
    BOTH(F, PUT##_nbi, count, (T*)to, (const T*)from, COUNT(BYTES), 0)                                    \
    BOTH(F, PUT##_signal, count, (T*)to, (const T*)from, COUNT(BYTES), &word, 1, SHMEM_SIGNAL_SET, 0)     \
    BOTH(F, PUT##_signal_nbi, count, (T*)to, (const T*)from, COUNT(BYTES), &word, 1, SHMEM_SIGNAL_ADD, 0) \
    BOTH(F, GET, count, (T*)to, (const T*)from, COUNT(BYTES), 0)                                          \
    BOTH(F, GET##_nbi, count, (T*)to, (const T*)from, COUNT(BYTES), 0)
#define STRIDED(F, CALL, BLOCKS, T, BYTES)                                    \
    BOTH(F, CALL, count, (T*)to, (const T*)from, 1, 1, COUNT(BYTES), 0)       \
    BOTH(F, CALL, dst, (T*)to, (const T*)from, STRIDE(BYTES), 1, 3, 0)        \
    BOTH(F, CALL, sst, (T*)to, (const T*)from, 1, STRIDE(BYTES), 3, 0)        \
    BOTH(F, BLOCKS, count, (T*)to, (const T*)from, 1, 1, COUNT(BYTES), 1, 0)  \
    BOTH(F, BLOCKS, blocks, (T*)to, (const T*)from, 2, 2, 1, COUNT(BYTES), 0) \
    BOTH(F, BLOCKS, dst, (T*)to, (const T*)from, STRIDE(BYTES), 1, 1, 3, 0)   \
    BOTH(F, BLOCKS, sst, (T*)to, (const T*)from, 1, STRIDE(BYTES), 1, 3, 0)
#define RMA_TYPED(F, NAME, TYPE)                              \
    BULK(F, NAME##_put, NAME##_get, TYPE, sizeof(TYPE))       \
    STRIDED(F, NAME##_iput, NAME##_ibput, TYPE, sizeof(TYPE)) \
    STRIDED(F, NAME##_iget, NAME##_ibget, TYPE, sizeof(TYPE))
#define RMA_SIZED(F, BITS, BYTES)                    \
    BULK(F, put##BITS, get##BITS, void, BYTES)       \
    STRIDED(F, iput##BITS, ibput##BITS, void, BYTES) \
    STRIDED(F, iget##BITS, ibget##BITS, void, BYTES)
#define RMA(F) SHMEM_TYPES_(RMA_TYPED, F) SHMEM_SIZES_(RMA_SIZED, F) BULK(F, putmem, getmem, void, 1)

#define WORLD SHMEM_TEAM_WORLD
#define TEAM(F, ALLTOALL, ALLTOALLS, BROADCAST, COLLECT, FCOLLECT, T, BYTES)    \
    F(ALLTOALL, count, WORLD, (T*)to, (const T*)from, COUNT(BYTES))             \
    F(ALLTOALLS, count, WORLD, (T*)to, (const T*)from, 1, 1, COUNT(BYTES))      \
    F(ALLTOALLS, dst, WORLD, (T*)to, (const T*)from, STRIDE(2 * (BYTES)), 1, 3) \
    F(ALLTOALLS, sst, WORLD, (T*)to, (const T*)from, 1, STRIDE(2 * (BYTES)), 3) \
    F(BROADCAST, count, WORLD, (T*)to, (const T*)from, COUNT(BYTES), 0)         \
    F(COLLECT, count, WORLD, (T*)to, (const T*)from, COUNT(BYTES))              \
    F(FCOLLECT, count, WORLD, (T*)to, (const T*)from, COUNT(BYTES))
#define TEAM_TYPED(F, NAME, TYPE) \
    TEAM(F, NAME##_alltoall, NAME##_alltoalls, NAME##_broadcast, NAME##_collect, NAME##_fcollect, TYPE, sizeof(TYPE))
#define REDUCE(F, CALL, TYPE) F(CALL, count, WORLD, (TYPE*)to, (const TYPE*)from, COUNT(sizeof(TYPE)))
#define REDUCE_BITS(F, NAME, TYPE)     \
    REDUCE(F, NAME##_and_reduce, TYPE) \
    REDUCE(F, NAME##_or_reduce, TYPE)  \
    REDUCE(F, NAME##_xor_reduce, TYPE)
#define REDUCE_ORDER(F, NAME, TYPE)    \
    REDUCE(F, NAME##_max_reduce, TYPE) \
    REDUCE(F, NAME##_min_reduce, TYPE)
#define REDUCE_SUM(F, NAME, TYPE)       \
    REDUCE(F, NAME##_sum_reduce, TYPE)  \
    REDUCE(F, NAME##_prod_reduce, TYPE) \
    REDUCE(F, NAME##_sum_inscan, TYPE)  \
    REDUCE(F, NAME##_sum_exscan, TYPE)
#define TO_ALL(F, CALL, TYPE) F(CALL, count, (TYPE*)to, (const TYPE*)from, -1, 0, 0, 1, (TYPE*)to, sync_words)
#define TO_ALL_BITS(F, NAME, TYPE)     \
    TO_ALL(F, NAME##_and_to_all, TYPE) \
    TO_ALL(F, NAME##_or_to_all, TYPE)  \
    TO_ALL(F, NAME##_xor_to_all, TYPE)
#define TO_ALL_ORDER(F, NAME, TYPE)    \
    TO_ALL(F, NAME##_max_to_all, TYPE) \
    TO_ALL(F, NAME##_min_to_all, TYPE)
#define TO_ALL_SUM(F, NAME, TYPE)      \
    TO_ALL(F, NAME##_sum_to_all, TYPE) \
    TO_ALL(F, NAME##_prod_to_all, TYPE)
#define ACTIVE_SET(F, BITS)                                                         \
    F(broadcast##BITS, count, to, from, COUNT(BITS / 8), 0, 0, 0, 1, sync_words)    \
    F(collect##BITS, count, to, from, COUNT(BITS / 8), 0, 0, 1, sync_words)         \
    F(fcollect##BITS, count, to, from, COUNT(BITS / 8), 0, 0, 1, sync_words)        \
    F(alltoall##BITS, count, to, from, COUNT(BITS / 8), 0, 0, 1, sync_words)        \
    F(alltoalls##BITS, count, to, from, 1, 1, COUNT(BITS / 8), 0, 0, 1, sync_words) \
    F(alltoalls##BITS, dst, to, from, STRIDE(BITS / 8), 1, 2, 0, 0, 1, sync_words)
#define COLLECTIVES(F)                                                                 \
    SHMEM_TYPES_(TEAM_TYPED, F)                                                        \
    TEAM(F, alltoallmem, alltoallsmem, broadcastmem, collectmem, fcollectmem, void, 1) \
    SHMEM_INTEGER_TYPES_(REDUCE_BITS, F)                                               \
    SHMEM_TYPES_(REDUCE_ORDER, F)                                                      \
    SHMEM_SUM_TYPES_(REDUCE_SUM, F)                                                    \
    SHMEM_TO_ALL_INTEGER_TYPES_(TO_ALL_BITS, F)                                        \
    SHMEM_TO_ALL_TYPES_(TO_ALL_ORDER, F)                                               \
    SHMEM_TO_ALL_SUM_TYPES_(TO_ALL_SUM, F)                                             \
    ACTIVE_SET(F, 32)                                                                  \
    ACTIVE_SET(F, 64)

#define WAIT(F, NAME, TYPE, VERB)                                                                           \
    F(NAME##_##VERB##_all, count, (TYPE*)to, COUNT(sizeof(TYPE)), status, SHMEM_CMP_EQ, (TYPE)0)            \
    F(NAME##_##VERB##_any, count, (TYPE*)to, COUNT(sizeof(TYPE)), status, SHMEM_CMP_EQ, (TYPE)0)            \
    F(NAME##_##VERB##_some, count, (TYPE*)to, COUNT(sizeof(TYPE)), indices, status, SHMEM_CMP_EQ, (TYPE)0)  \
    F(NAME##_##VERB##_all_vector, count, (TYPE*)to, COUNT(sizeof(TYPE)), status, SHMEM_CMP_EQ, (TYPE*)from) \
    F(NAME##_##VERB##_any_vector, count, (TYPE*)to, COUNT(sizeof(TYPE)), status, SHMEM_CMP_EQ, (TYPE*)from) \
    F(NAME##_##VERB##_some_vector, count, (TYPE*)to, COUNT(sizeof(TYPE)), indices, status, SHMEM_CMP_EQ, (TYPE*)from)
#define WAIT_TYPED(F, NAME, TYPE)   \
    WAIT(F, NAME, TYPE, wait_until) \
    WAIT(F, NAME, TYPE, test)
#define WAITS(F) SHMEM_WAIT_TYPES_(WAIT_TYPED, F)

static shmem_team_t team;
#define L(ARRAY) ((long*)(ARRAY))
#define NULLS(F)                                                               \
    BOTH(F, long_put, source, L(to), NULL, 2, 0)                               \
    BOTH(F, long_put_nbi, source, L(to), NULL, 2, 0)                           \
    BOTH(F, putmem_signal, source, to, NULL, 2, &word, 1, SHMEM_SIGNAL_SET, 0) \
    BOTH(F, long_get, dest, NULL, L(from), 2, 0)                               \
    BOTH(F, getmem_nbi, dest, NULL, from, 2, 0)                                \
    BOTH(F, long_iput, source, L(to), NULL, 1, 1, 2, 0)                        \
    BOTH(F, long_iget, dest, NULL, L(from), 1, 1, 2, 0)                        \
    BOTH(F, long_atomic_fetch_nbi, fetch, NULL, L(from), 0)                    \
    BOTH(F, long_atomic_fetch_add_nbi, fetch, NULL, L(to), 1, 0)               \
    BOTH(F, long_atomic_compare_swap_nbi, fetch, NULL, L(to), 1, 0, 0)         \
    F(ctx_pe_quiet, pes, SHMEM_CTX_DEFAULT, NULL, 1)                           \
    F(long_broadcast, source, WORLD, L(to), NULL, 1, 0)                        \
    F(long_collect, source, WORLD, L(to), NULL, 1)                             \
    F(long_fcollect, dest, WORLD, NULL, L(from), 1)                            \
    F(long_alltoall, source, WORLD, L(to), NULL, 1)                            \
    F(long_sum_reduce, source, WORLD, L(to), NULL, 1)                          \
    F(long_sum_reduce, dest, WORLD, NULL, L(from), 1)                          \
    F(long_sum_exscan, source, WORLD, L(to), NULL, 1)                          \
    F(long_sum_to_all, source, L(to), NULL, 1, 0, 0, 1, L(to), sync_words)     \
    F(broadcast64, source, to, NULL, 1, 0, 0, 0, 1, sync_words)                \
    F(long_wait_until_some, indices, L(to), 1, NULL, NULL, SHMEM_CMP_EQ, 0)    \
    F(long_test_some, indices, L(to), 1, NULL, NULL, SHMEM_CMP_EQ, 0)          \
    F(long_wait_until_all_vector, values, L(to), 1, NULL, SHMEM_CMP_EQ, NULL)  \
    F(long_test_any_vector, values, L(to), 1, NULL, SHMEM_CMP_EQ, NULL)        \
    F(signal_fetch, word, NULL)                                                \
    F(team_split_strided, team, WORLD, 0, 1, 1, NULL, 0, NULL)                 \
    F(team_split_2d, x, WORLD, 1, NULL, 0, NULL, NULL, 0, &team)               \
    F(team_split_2d, y, WORLD, 1, NULL, 0, &team, NULL, 0, NULL)               \
    F(team_create_ctx, ctx, WORLD, 0, NULL)                                    \
    F(ctx_create, ctx, 0, NULL)                                                \
    F(ctx_get_team, team, SHMEM_CTX_DEFAULT, NULL)                             \
    F(query_thread, provided, NULL)                                            \
    F(info_get_version, major, NULL, status)                                   \
    F(info_get_name, name, NULL)

struct refusal {
    const char* name;
    void (*call)(void);
};
#define DEFINE(NAME, CASE, ...)            \
    static void NAME##_with_##CASE(void) { \
        shmem_##NAME(__VA_ARGS__);         \
    }
#define ROW(NAME, CASE, ...) {#NAME, NAME##_with_##CASE},
RMA(DEFINE)
COLLECTIVES(DEFINE)
WAITS(DEFINE)
NULLS(DEFINE)
static const struct refusal rma[] = {RMA(ROW)}, collectives[] = {COLLECTIVES(ROW)}, waits[] = {WAITS(ROW)},
                            nulls[] = {NULLS(ROW)};
#define LENGTH(ARRAY) (sizeof(ARRAY) / sizeof(*(ARRAY)))

static int in_child(int output, void (*call)(void)) {
    const pid_t child = fork();
    if (child == 0) {
        dup2(output, STDERR_FILENO);
        shmem_init();
        call();
        _exit(0);
    }
    int ended = 0;
    waitpid(child, &ended, 0);
    return ended;
}

static int is_refused(const struct refusal* refusal, const char* reason) {
    char said[512] = "";
    char begin[128];
    FILE* const file = tmpfile();
    const int output = fileno(file);
    const int ended = in_child(output, refusal->call);
    const ssize_t length = pread(output, said, sizeof(said) - 1, 0);
    fclose(file);
    snprintf(begin, sizeof(begin), "PE 0: shmem_%s: ", refusal->name);
    const char* const end = strchr(said, '\n');
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 1 && length > 0 && strncmp(said, begin, strlen(begin)) == 0 &&
        strstr(said, reason) != NULL && end != NULL && end[1] == '\0') {
        return 1;
    }
    printf("shmem_%s: wait status %#x; expected '%s...%s...', it said '%s'\n", refusal->name, (unsigned)ended, begin,
           reason, said);
    return 0;
}

static int are_refused(const struct refusal* refusals, size_t count, const char* reason) {
    size_t refused = 0;
    for (size_t i = 0; i < count; i++) {
        refused += (size_t)is_refused(&refusals[i], reason);
    }
    printf("%zu of %zu calls are refused\n", refused, count);
    return refused == count;
}

static int is_among(const char* name, const struct refusal* refusals, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, refusals[i].name) == 0) {
            return 1;
        }
    }
    return 0;
}

// Every function that the header declares with a number of elements is in a family.
static int are_all_there(void) {
#define DECLARED(RESULT, NAME, ARGUMENTS) {#NAME, #ARGUMENTS},
    static const char* const declared[][2] = {SHMEM_FUNCTIONS_(DECLARED)};
    int missing = 0;
    for (size_t i = 0; i < LENGTH(declared); i++) {
        const char* const name = declared[i][0];
        const char* const arguments = declared[i][1];
        if ((strstr(arguments, "nelems") != NULL || strstr(arguments, "nreduce") != NULL ||
             strstr(arguments, "nblocks") != NULL) &&
            !is_among(name, rma, LENGTH(rma)) && !is_among(name, collectives, LENGTH(collectives)) &&
            !is_among(name, waits, LENGTH(waits))) {
            printf("shmem_%s takes a number of elements and is in no family\n", name);
            missing++;
        }
    }
    return missing == 0;
}

// The heap has no such memory: NULL, and it goes on.
static int has_no_memory(void) {
    shmem_init();
    long* const before = shmem_malloc(sizeof(long));
    for (size_t less = 0; less < 300; less++) {
        const size_t size = SIZE_MAX - less;
        if (shmem_malloc(size) != NULL || shmem_malloc(size / 2) != NULL || shmem_align(128, size) != NULL ||
            shmem_align(1 << 20, size) != NULL || shmem_calloc(size, 8) != NULL || shmem_calloc(2, size) != NULL ||
            shmem_calloc(SIZE_MAX / 8 + 3, 8) != NULL || shmem_realloc(before, size) != NULL) {
            printf("the heap gave memory of %zu bytes\n", size);
            return 0;
        }
    }
    *before = 1;
    void* const after = shmem_calloc(3, 8);
    const int goes_on = after != NULL;
    shmem_free(after);
    shmem_free(before);
    shmem_finalize();
    return goes_on;
}

static const char* const too_long[] = {"18446744073709551615", "16777217T", "36028797018963968K", "2T"};

static void initialized_only(void) {}

// A heap whose length overflows, in its unit or rounded up, or that addresses do not reach: nothing is begun.
static int are_no_heaps(void) {
    int good = 1;
    const struct refusal init = {"init", initialized_only};
    for (size_t i = 0; i < LENGTH(too_long); i++) {
        setenv("SYNCLINE_HEAP_SIZE", too_long[i], 1);
        good &= is_refused(&init, "more than the");
    }
    setenv("SYNCLINE_HEAP_SIZE", "-5", 1);
    good &= is_refused(&init, "needs a size");
    setenv("SYNCLINE_HEAP_SIZE", "1M", 1);
    return good;
}

int main(int argc, char** argv) {
    const char* const family = argc > 1 ? argv[1] : "";
    setenv("SYNCLINE_HEAP_SIZE", "1M", 1);
    int good = 0;
    if (strcmp(family, "rma") == 0) {
        good = are_refused(rma, LENGTH(rma), "more than any memory holds");
    } else if (strcmp(family, "collectives") == 0) {
        good = are_refused(collectives, LENGTH(collectives), "more than any memory holds");
    } else if (strcmp(family, "waits") == 0) {
        good = are_refused(waits, LENGTH(waits), "more than any memory holds");
    } else if (strcmp(family, "nulls") == 0) {
        good = are_refused(nulls, LENGTH(nulls), " is NULL");
    } else if (strcmp(family, "all") == 0) {
        good = are_all_there();
    } else if (strcmp(family, "heap") == 0) {
        good = are_no_heaps() && has_no_memory();
    }
    return good ? 0 : 1;
}
