/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The mistakes that SHMEM_DEBUG=1 finds (1.5, sections 9.6 and 9.9: what may not overlap, and what all members must
 * pass): makes the mistake that is named.
 */
#include <shmem.h>
#include <string.h>

static long dest[64], source[64];

int main(int argc, char** argv) {
    shmem_init();
    const int me = shmem_my_pe();
    const char* const mistake = argc > 1 ? argv[1] : "none";
    if (strcmp(mistake, "put-overlap") == 0) {
        shmem_long_put(dest + 1, dest, 8, me);
    } else if (strcmp(mistake, "get-overlap") == 0) {
        shmem_long_get(dest, dest + 7, 8, me);
    } else if (strcmp(mistake, "reduce-overlap") == 0) {
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, dest + 1, 8);
    } else if (strcmp(mistake, "fcollect-overlap") == 0) {
        shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, dest + 1, 1);
    } else if (strcmp(mistake, "other-call") == 0) {
        if (me == 1) {
            shmem_barrier_all();
        } else {
            shmem_long_fcollect(SHMEM_TEAM_WORLD, dest, source, 1);
        }
    } else if (strcmp(mistake, "other-root") == 0) {
        shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, source, 4, me);
    } else if (strcmp(mistake, "other-count") == 0) {
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, source, (size_t)me + 1);
    } else if (strcmp(mistake, "other-dest") == 0) {
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest + me, source, 2);
    } else if (strcmp(mistake, "other-size") == 0) {
        (void)shmem_malloc(64 + (size_t)me);
    } else {
        /* No mistake: in place, behind each other, and with other arguments where these may differ. */
        shmem_long_put(dest + 8, dest, 8, me);
        shmem_long_sum_reduce(SHMEM_TEAM_WORLD, dest, dest, 8);
        shmem_long_broadcast(SHMEM_TEAM_WORLD, dest, dest, 4, 0);
        shmem_long_collect(SHMEM_TEAM_WORLD, dest, source, (size_t)me);
        long* const memory = shmem_malloc(64);
        shmem_free(memory);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
