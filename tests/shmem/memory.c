// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.5, section 9.3: the symmetric heap, which grows beyond what it begins with.
#include <stdint.h>
#include <string.h>

#include "check.h"

void run_memory(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int next = (me + 1) % shmem_n_pes();

    CHECK(shmem_malloc(0) == NULL);
    CHECK(shmem_malloc(SIZE_MAX / 2) == NULL);
    for (size_t alignment = 8; alignment <= 1 << 20; alignment *= 8) {
        char* const aligned = shmem_align(alignment, 100);
        CHECK(aligned != NULL && (uintptr_t)aligned % alignment == 0);
        shmem_free(aligned);
    }
    int* const zeroes = shmem_calloc(1000, sizeof(int));
    for (int i = 0; i < 1000; i++) {
        CHECK(zeroes[i] == 0);
        zeroes[i] = i;
    }
    int* const more = shmem_realloc(zeroes, 100000 * sizeof(int));
    CHECK(more != NULL && more[999] == 999);
    CHECK(shmem_realloc(NULL, 16) != NULL);
    CHECK(shmem_malloc_with_hints(64, SHMEM_MALLOC_ATOMICS_REMOTE | SHMEM_MALLOC_SIGNAL_REMOTE) != NULL);

    // The job begins with 32 MiB.
    const size_t words = 5 << 20;
    long* const large = shmem_malloc(words * sizeof(long));
    CHECK(large != NULL);
    long* const larger = shmem_malloc(words * sizeof(long));
    CHECK(larger != NULL && larger != large);
    shmem_long_p(&larger[words - 1], me, next);
    shmem_long_atomic_add(&large[0], 0, next);
    shmem_barrier_all();
    CHECK(larger[words - 1] == (me + shmem_n_pes() - 1) % shmem_n_pes());
    shmem_free(larger);
    shmem_free(large);
    shmem_free(more);
    shmem_finalize();
}
