// SPDX-License-Identifier: BSD-3-Clause
// The symmetric heap grows until there is no more, and every byte of it is written: prints "grown PE BYTES".
#include <stdio.h>
#include <string.h>

#include "check.h"

int main(void) {
    const size_t chunk = (size_t)8 << 20;
    size_t total = 0;
    shmem_init();
    const int me = shmem_my_pe();
    for (char* part = shmem_malloc(chunk); part != NULL; part = shmem_malloc(chunk)) {
        memset(part, me + 1, chunk);
        total += chunk;
    }
    shmem_barrier_all();
    // There was no more for the others, either, and what there is works.
    static size_t totals[64];
    for (int pe = 0; pe < shmem_n_pes(); pe++) {
        shmem_size_put(&totals[me], &total, 1, pe);
    }
    shmem_barrier_all();
    for (int pe = 0; pe < shmem_n_pes(); pe++) {
        CHECK(totals[pe] == total);
    }
    printf("grown %d %zu\n", me, total);
    shmem_finalize();
    return 0;
}
