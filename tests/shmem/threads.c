// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.5, section 9.2: SHMEM_THREAD_MULTIPLE, several threads of each PE at once: puts, atomics, contexts of
// their own (9.5), waiting (9.10), with and without a result.
#include <pthread.h>

#include "check.h"

enum { THREADS = 4, ROUNDS = 200 };

static long counter, posted, flags[THREADS], cells[THREADS][ROUNDS];
static int me, pes;

static void* work(void* argument) {
    const long thread = (long)argument;
    const int next = (me + 1) % pes;
    shmem_ctx_t own;
    CHECK(shmem_ctx_create(thread % 2 == 0 ? SHMEM_CTX_PRIVATE : SHMEM_CTX_SERIALIZED, &own) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        (void)shmem_long_atomic_fetch_inc(&counter, 0);
        shmem_ctx_long_atomic_add(own, &posted, 2, 0);
        shmem_ctx_long_p(own, &cells[thread][i], thread * 1000 + i, next);
    }
    shmem_ctx_quiet(own);
    // The quiet of this thread's context covers what this thread did on it, whatever the others do.
    CHECK(shmem_long_g(&cells[thread][ROUNDS - 1], next) == thread * 1000 + ROUNDS - 1);
    shmem_ctx_long_atomic_set(own, &flags[thread], 1, next);
    shmem_long_wait_until(&flags[thread], SHMEM_CMP_EQ, 1);
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(cells[thread][i] == thread * 1000 + i);
    }
    shmem_ctx_destroy(own);
    return NULL;
}

int main(void) {
    int provided = -1;
    if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0) {
        return 1;
    }
    CHECK(provided == SHMEM_THREAD_MULTIPLE);
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
    return 0;
}
