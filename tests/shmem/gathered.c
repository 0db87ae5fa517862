// SPDX-License-Identifier: BSD-3-Clause
// Atomics without a result gather in packets. They leave when the PE enters a barrier, sync, collective, wait or test,
// on whatever context they are; programs rely on that, though the specification does not promise it.
//
// Method: PE 0 posts an atomic to a PE of another node and makes one call, of each kind. The last PE looks at its
// memory with plain loads and must see the word change before it makes a call itself; PE 0 makes no other call
// meanwhile. The program's own ppoll() holds the library's thread that sends after a while, which sleeps on nothing, so
// that nothing but the call can be the cause; the first round makes sure of that.
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

enum { PES_MAX = 8, PATIENCE_S = 20 };

static pthread_t main_thread;
static atomic_int is_over;

__attribute__((visibility("default"))) int ppoll(struct pollfd* fds, nfds_t count, const struct timespec* time,
                                                 const sigset_t* mask) {
    const struct timespec a_while = {.tv_nsec = 1000000};
    while (count == 0 && !pthread_equal(pthread_self(), main_thread) && !atomic_load(&is_over)) {
        clock_nanosleep(CLOCK_MONOTONIC, 0, &a_while, NULL);
    }
    struct timespec left = time != NULL ? *time : a_while;  // the kernel writes to it
    return (int)syscall(SYS_ppoll, fds, count, time != NULL ? &left : NULL, mask, sizeof(long));
}

static long word;    // at the last PE: the number of the round that has posted last
static long answer;  // at PE 0: the number of the last round whose atomic was seen
static int me, pes;

static long own[PES_MAX * 2], to[PES_MAX * 2], locks[PES_MAX];
static int32_t own32[PES_MAX * 2], to32[PES_MAX * 2];
static long sync_words[SHMEM_ALLTOALLS_SYNC_SIZE], work[4];
static uint64_t signal_word = 1;
static long ones[2] = {1, 1};
static void* memory;
static shmem_team_t team, column;
static shmem_ctx_t context, made;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// With loads only.
static int comes(const long* place, long value, double seconds) {
    for (const double end = now() + seconds; now() < end; sched_yield()) {
        if (__atomic_load_n(place, __ATOMIC_ACQUIRE) == value) {
            return 1;
        }
    }
    return 0;
}

// Each kind changes the word from the round before to this one.
static void post(shmem_ctx_t ctx, long round) {
    const int pe = pes - 1;
    switch (round % 4) {
        case 0:
            shmem_ctx_long_atomic_inc(ctx, &word, pe);
            break;
        case 1:
            shmem_ctx_long_atomic_set(ctx, &word, round, pe);
            break;
        case 2:
            shmem_ctx_long_atomic_add(ctx, &word, 1, pe);
            break;
        default:
            shmem_ctx_long_atomic_xor(ctx, &word, (round - 1) ^ round, pe);
    }
}

static int status[2];
static size_t indices[2];
static long cmp_values[2] = {1, 2};

// WHO makes it, and the call.
#define CALLS(X)                                                                                  \
    X(ALL, shmem_barrier_all())                                                                   \
    X(ALL, shmem_sync_all())                                                                      \
    X(ALL, shmem_team_sync(SHMEM_TEAM_WORLD))                                                     \
    X(NODE, shmem_team_sync(SHMEM_TEAM_SHARED))                                                   \
    X(NODE, shmem_long_broadcast(SHMEM_TEAM_SHARED, to, own, 2, 0))                               \
    X(ALL, shmem_barrier(0, 0, pes, sync_words))                                                  \
    X(ALL, shmem_sync(0, 0, pes, sync_words))                                                     \
    X(FIRST, shmem_barrier(1, 0, 1, sync_words))                                                  \
    X(ALL, shmem_long_broadcast(SHMEM_TEAM_WORLD, to, own, 1, 0))                                 \
    X(ALL, shmem_broadcastmem(SHMEM_TEAM_WORLD, to, own, sizeof(long) * 2, pes - 1))              \
    X(ALL, shmem_long_collect(SHMEM_TEAM_WORLD, to, own, 1))                                      \
    X(ALL, shmem_long_fcollect(SHMEM_TEAM_WORLD, to, own, 1))                                     \
    X(ALL, shmem_long_alltoall(SHMEM_TEAM_WORLD, to, own, 1))                                     \
    X(ALL, shmem_long_alltoalls(SHMEM_TEAM_WORLD, to, own, 1, 2, 1))                              \
    X(ALL, shmem_long_sum_reduce(SHMEM_TEAM_WORLD, to, own, 1))                                   \
    X(ALL, shmem_long_prod_reduce(SHMEM_TEAM_WORLD, to, own, 4))                                  \
    X(ALL, shmem_long_sum_inscan(SHMEM_TEAM_WORLD, to, own, 1))                                   \
    X(ALL, shmem_long_sum_exscan(SHMEM_TEAM_WORLD, to, own, 1))                                   \
    X(ALL, shmem_long_sum_to_all(to, own, 1, 0, 0, pes, work, sync_words))                        \
    X(ALL, shmem_broadcast32(to32, own32, 1, 0, 0, 0, pes, sync_words))                           \
    X(ALL, shmem_collect32(to32, own32, 1, 0, 0, pes, sync_words))                                \
    X(ALL, shmem_fcollect64(to, own, 1, 0, 0, pes, sync_words))                                   \
    X(ALL, shmem_alltoall64(to, own, 1, 0, 0, pes, sync_words))                                   \
    X(ALL, shmem_alltoalls32(to32, own32, 1, 1, 1, 0, 0, pes, sync_words))                        \
    X(ALL, memory = shmem_malloc(16))                                                             \
    X(ALL, memory = shmem_realloc(memory, 1000))                                                  \
    X(ALL, shmem_free(memory))                                                                    \
    X(ALL, memory = shmem_calloc(2, 8))                                                           \
    X(ALL, shmem_free(memory))                                                                    \
    X(ALL, memory = shmem_align(128, 8))                                                          \
    X(ALL, shmem_free(memory))                                                                    \
    X(ALL, memory = shmem_malloc_with_hints(16, 0))                                               \
    X(ALL, shmem_free(memory))                                                                    \
    X(ALL, shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, NULL, 0, &team))                 \
    X(ALL, shmem_team_destroy(team))                                                              \
    X(ALL, shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &team, NULL, 0, &column))            \
    X(ALL, shmem_team_destroy(team))                                                              \
    X(ALL, shmem_team_destroy(column))                                                            \
    X(FIRST, shmem_ctx_create(0, &made))                                                          \
    X(FIRST, shmem_ctx_quiet(made))                                                               \
    X(FIRST, shmem_ctx_fence(made))                                                               \
    X(FIRST, shmem_ctx_pe_quiet(made, NULL, 0))                                                   \
    X(FIRST, shmem_ctx_destroy(made))                                                             \
    X(FIRST, shmem_quiet())                                                                       \
    X(FIRST, shmem_fence())                                                                       \
    X(FIRST, shmem_set_lock(&locks[0]))                                                           \
    X(FIRST, shmem_test_lock(&locks[0]))                                                          \
    X(FIRST, shmem_clear_lock(&locks[0]))                                                         \
    X(FIRST, shmem_set_lock(&locks[1]))                                                           \
    X(FIRST, shmem_clear_lock(&locks[1]))                                                         \
    X(FIRST, shmem_set_lock(&locks[2]))                                                           \
    X(FIRST, shmem_clear_lock(&locks[2]))                                                         \
    X(FIRST, shmem_set_lock(&locks[3]))                                                           \
    X(FIRST, shmem_clear_lock(&locks[3]))                                                         \
    X(FIRST, shmem_long_wait_until(ones, SHMEM_CMP_EQ, 1))                                        \
    X(FIRST, shmem_wait_until(ones, SHMEM_CMP_EQ, 1))                                             \
    X(FIRST, shmem_long_wait(ones, 0))                                                            \
    X(FIRST, shmem_long_wait_until_all(ones, 2, NULL, SHMEM_CMP_EQ, 1))                           \
    X(FIRST, shmem_long_wait_until_any(ones, 2, status, SHMEM_CMP_EQ, 1))                         \
    X(FIRST, shmem_long_wait_until_some(ones, 2, indices, NULL, SHMEM_CMP_EQ, 1))                 \
    X(FIRST, shmem_long_wait_until_all(ones, 0, NULL, SHMEM_CMP_EQ, 1))                           \
    X(FIRST, shmem_long_wait_until_all_vector(ones, 1, NULL, SHMEM_CMP_EQ, cmp_values))           \
    X(FIRST, shmem_long_wait_until_any_vector(ones, 2, NULL, SHMEM_CMP_EQ, cmp_values))           \
    X(FIRST, shmem_long_wait_until_some_vector(ones, 2, indices, NULL, SHMEM_CMP_EQ, cmp_values)) \
    X(FIRST, shmem_signal_wait_until(&signal_word, SHMEM_CMP_EQ, 1))                              \
    X(FIRST, shmem_signal_fetch(&signal_word))                                                    \
    X(FIRST, CHECK(shmem_long_test(ones, SHMEM_CMP_EQ, 1)))                                       \
    X(FIRST, CHECK(!shmem_long_test(ones, SHMEM_CMP_EQ, 2)))                                      \
    X(FIRST, CHECK(shmem_long_test_all(ones, 2, NULL, SHMEM_CMP_EQ, 1)))                          \
    X(FIRST, CHECK(shmem_long_test_any(ones, 2, NULL, SHMEM_CMP_EQ, 1) < 2))                      \
    X(FIRST, CHECK(shmem_long_test_some(ones, 2, indices, NULL, SHMEM_CMP_EQ, 1) == 2))           \
    X(FIRST, CHECK(!shmem_long_test_all_vector(ones, 2, NULL, SHMEM_CMP_EQ, cmp_values)))         \
    X(FIRST, CHECK(shmem_long_test_any_vector(ones, 2, NULL, SHMEM_CMP_EQ, cmp_values) == 0))     \
    X(FIRST, CHECK(shmem_long_test_some_vector(ones, 2, indices, NULL, SHMEM_CMP_EQ, cmp_values) == 1))

enum { FIRST, NODE, ALL };

static const struct {
    int who;
    const char* name;
} calls[] = {
#define LIST(WHO, ...) {WHO, #__VA_ARGS__},
    CALLS(LIST)
#undef LIST
};
enum { CALL_COUNT = sizeof(calls) / sizeof(*calls) };

static void make(int call) {
    int number = 0;
#define MAKE(WHO, ...)      \
    if (call == number++) { \
        __VA_ARGS__;        \
        return;             \
    }
    CALLS(MAKE)
#undef MAKE
}

static int makes(int call) {
    return calls[call].who == ALL || me == 0 || (calls[call].who == NODE && shmem_ptr(&word, 0) != NULL);
}

static void play(int call, shmem_ctx_t ctx, long round) {
    shmem_barrier_all();
    if (me == pes - 1) {
        if (!comes(&word, round, PATIENCE_S)) {
            fprintf(stderr, "round %ld: what was posted does not leave at %s\n", round, calls[call].name);
            shmem_global_exit(1);
        }
        shmem_long_p(&answer, round, 0);
        shmem_quiet();
    }
    if (me == 0) {
        post(ctx, round);
    }
    if (makes(call)) {
        make(call);
    }
    CHECK(me != 0 || comes(&answer, round, 2 * PATIENCE_S));
}

int main(void) {
    main_thread = pthread_self();
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    CHECK(pes >= 4 && pes <= PES_MAX && (me != 0 || shmem_ptr(&word, pes - 1) == NULL));
    shmem_ctx_t of_team;
    CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &context) == 0 &&
          shmem_team_create_ctx(SHMEM_TEAM_WORLD, 0, &of_team) == 0);
    const shmem_ctx_t contexts[] = {SHMEM_CTX_DEFAULT, context, of_team};

    shmem_barrier_all();
    long round = 1;
    if (me == 0) {
        post(SHMEM_CTX_DEFAULT, round);
        CHECK(comes(&answer, round, 2 * PATIENCE_S));
        shmem_quiet();
    } else if (me == pes - 1) {
        CHECK(!comes(&word, round, 0.1));  // or something else sends it, and the test could not tell
        shmem_long_p(&answer, round, 0);
        shmem_quiet();
    }
    for (size_t i = 0; i < sizeof(contexts) / sizeof(*contexts); i++) {
        for (int call = 0; call < CALL_COUNT; call++) {
            play(call, contexts[i], ++round);
        }
    }
    atomic_store(&is_over, 1);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
