// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.5, section 9.2: SHMEM_THREAD_MULTIPLE, several threads of each PE at once: puts, atomics, contexts of
// their own (9.5), waiting (9.10), with and without a result. With SHMEM_THREAD_SERIALIZED the same threads make the
// same calls, never two at once.
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "check.h"

enum { THREADS = 4, ROUNDS = 200 };

static long counter, posted, flags[THREADS], cells[THREADS][ROUNDS];
static int me, pes, level;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void enter(void) {
    if (level == SHMEM_THREAD_SERIALIZED) {
        pthread_mutex_lock(&turn);
    }
}

static void leave(void) {
    if (level == SHMEM_THREAD_SERIALIZED) {
        pthread_mutex_unlock(&turn);
    }
}

// Others have a turn meanwhile.
static void await(long* flag) {
    if (level != SHMEM_THREAD_SERIALIZED) {
        shmem_long_wait_until(flag, SHMEM_CMP_EQ, 1);
        return;
    }
    for (int seen = 0; !seen;) {
        enter();
        seen = shmem_long_test(flag, SHMEM_CMP_EQ, 1);
        leave();
        sched_yield();
    }
}

static void* work(void* argument) {
    const long thread = (long)argument;
    const int next = (me + 1) % pes;
    shmem_ctx_t own;
    enter();
    CHECK(shmem_ctx_create(thread % 2 == 0 ? SHMEM_CTX_PRIVATE : SHMEM_CTX_SERIALIZED, &own) == 0);
    leave();
    for (int i = 0; i < ROUNDS; i++) {
        enter();
        (void)shmem_long_atomic_fetch_inc(&counter, 0);
        leave();
        enter();
        shmem_ctx_long_atomic_add(own, &posted, 2, 0);
        shmem_ctx_long_p(own, &cells[thread][i], thread * 1000 + i, next);
        leave();
    }
    enter();
    shmem_ctx_quiet(own);
    // The quiet of this thread's context covers what this thread did on it, whatever the others do.
    CHECK(shmem_long_g(&cells[thread][ROUNDS - 1], next) == thread * 1000 + ROUNDS - 1);
    shmem_ctx_long_atomic_set(own, &flags[thread], 1, next);
    leave();
    await(&flags[thread]);
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(cells[thread][i] == thread * 1000 + i);
    }
    enter();
    shmem_ctx_destroy(own);
    leave();
    return NULL;
}

static void run(int wanted) {
    level = wanted;
    counter = posted = 0;
    memset(flags, 0, sizeof(flags));
    int provided = -1;
    if (shmem_init_thread(level, &provided) != 0) {
        exit(1);
    }
    CHECK(provided == level);
    me = shmem_my_pe();
    pes = shmem_n_pes();
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) {
        CHECK(pthread_create(&threads[i], NULL, work, (void*)i) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
    }
    shmem_barrier_all();
    CHECK(shmem_long_g(&counter, 0) == (long)pes * THREADS * ROUNDS);
    CHECK(shmem_long_g(&posted, 0) == 2L * pes * THREADS * ROUNDS);
    shmem_finalize();
}

void run_threads(void) {
    run(SHMEM_THREAD_MULTIPLE);
}

void run_threads_serialized(void) {
    run(SHMEM_THREAD_SERIALIZED);
}
