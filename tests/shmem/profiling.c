// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.5, section 10: a tool defines calls under their own names and goes on under those with pshmem_; no other
// caller notices.
#include <pshmem.h>

#include "check.h"

static int puts_seen, barriers_seen, levels_seen;
static long word;

void shmem_long_put(long* dest, const long* source, size_t nelems, int pe) {
    puts_seen++;
    pshmem_long_put(dest, source, nelems, pe);
}

void shmem_barrier_all(void) {
    barriers_seen++;
    pshmem_barrier_all();
}

void shmem_pcontrol(int level, ...) {
    levels_seen += level;
    pshmem_pcontrol(level);
}

int main(void) {
    shmem_init();
    const long value = 40 + shmem_my_pe();
    const int next = (shmem_my_pe() + 1) % shmem_n_pes();
    shmem_long_put(&word, &value, 1, next);
    shmem_barrier_all();
    CHECK(puts_seen == 1 && barriers_seen == 1);
    CHECK(shmem_long_g(&word, next) == value && pshmem_long_g(&word, next) == value);
    shmem_pcontrol(2);
    CHECK(levels_seen == 2);
    // The library's own barriers are not the program's.
    shmem_free(shmem_malloc(64));
    CHECK(barriers_seen == 1);
    shmem_finalize();
    return 0;
}
