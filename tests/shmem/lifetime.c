// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.6, section 9.1: initialised several times, finalized as often, and initialised anew after the last.
//
// Method: `lifetime` goes three times through a whole life: nested initialisations, work on heap, variables, teams and
// contexts, of which some are left behind, and as many finalizations. Variables keep their values in between, the heap
// is empty again each time. `lifetime leave` ends all PEs but the last by _exit() after a finalization, which is no
// death; `lifetime desert` has one PE end while the others initialise again, which fails with an error message.
#include <string.h>
#include <unistd.h>

#include "check.h"

static long counter;
static long kept = 5;
static long lock;
static long psync[SHMEM_BARRIER_SYNC_SIZE];

static int is_initialized(void) {
    int initialized = -1;
    shmem_query_initialized(&initialized);
    return initialized;
}

// Leaves a team, contexts and memory behind. The heap is so much larger than it began that it has to grow.
static void work(int life, int pes, int me) {
    const size_t large = (size_t)40 << 20;
    char* const memory = shmem_malloc(large);
    long* const zeros = shmem_calloc(16, sizeof(long));
    CHECK(memory != NULL && zeros != NULL);
    for (int i = 0; i < 16; i++) {
        CHECK(zeros[i] == 0);
    }
    memset(memory, life + 1, large);
    memset(zeros, 255, 16 * sizeof(long));
    shmem_barrier_all();
    CHECK(shmem_char_g(&memory[large - 1], (me + 1) % pes) == (char)(life + 1));

    shmem_team_t team = SHMEM_TEAM_INVALID;
    CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (pes + 1) / 2, NULL, 0, &team) == 0);
    CHECK((team != SHMEM_TEAM_INVALID) == (me % 2 == 0));
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    CHECK(shmem_ctx_create(0, &ctx) == 0);
    shmem_ctx_long_atomic_add(ctx, &counter, 1, 0);
    if (team != SHMEM_TEAM_INVALID) {
        CHECK(shmem_team_create_ctx(team, 0, &ctx) == 0);
        shmem_ctx_long_atomic_add(ctx, &counter, 1, 0);
        shmem_team_sync(team);
    }
    shmem_set_lock(&lock);
    shmem_long_p(&kept, shmem_long_g(&kept, 0) + 1, 0);
    shmem_clear_lock(&lock);
    if (me < 2 && pes >= 2) {
        shmem_barrier(0, 0, 2, psync);
    }
}

static void live(int life) {
    int provided = -1;
    CHECK(shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided) == 0 && provided == SHMEM_THREAD_FUNNELED);
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    CHECK(is_initialized() == 1);
    shmem_init();
    CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0 && provided == SHMEM_THREAD_MULTIPLE);
    shmem_query_thread(&provided);
    CHECK(provided == SHMEM_THREAD_MULTIPLE);

    work(life, pes, me);
    shmem_finalize();  // a barrier only
    CHECK(is_initialized() == 1 && shmem_my_pe() == me);
    shmem_finalize();
    CHECK(is_initialized() == 1);
    // The barrier has completed the default context, and nothing has been freed.
    if (me == 0) {
        CHECK(kept == 5 + (long)(life + 1) * pes);
    }
    shmem_finalize();
    if (is_initialized() != 0 || (me == 0 && counter != (long)(life + 1) * (pes + (pes + 1) / 2))) {
        fprintf(stderr, "PE %d: life %d: initialized after the last finalize, or counter is %ld\n", me, life, counter);
        exit(1);
    }
}

int main(int argc, char** argv) {
    const char* const how = argc > 1 ? argv[1] : "";
    if (is_initialized() != 0) {
        return 1;
    }
    for (int life = 0; life < 3; life++) {
        live(life);
    }
    shmem_init();
    const int me = shmem_my_pe();
    const int last = shmem_n_pes() - 1;
    shmem_finalize();
    if (strcmp(how, "leave") == 0 && me != last) {
        _exit(0);
    }
    if (strcmp(how, "desert") == 0) {
        if (me == last) {
            _exit(0);
        }
        shmem_init();
        shmem_finalize();
    }
    return 0;
}
