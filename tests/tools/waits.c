// SPDX-License-Identifier: BSD-3-Clause
// waits adds|barrier: PE 0 adds at the last PE for ever, or all PEs but the last one meet in a barrier. PE 0 says its
// job's number before that, or "ready", and the last PE takes no part.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
    static long counter;
    const int adds = argc > 1 && strcmp(argv[1], "adds") == 0;
    const char* const job = getenv("SYNCLINE_JOB"); /* `syncline run` has set it */
    shmem_init();
    const int last = shmem_n_pes() - 1;
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        puts(job != NULL ? job : "ready");
        fflush(stdout);
    }
    while (adds && shmem_my_pe() == 0) {
        shmem_long_atomic_fetch_add(&counter, 1, last);
    }
    if (!adds && shmem_my_pe() != last) {
        shmem_barrier_all();
    }
    for (;;) {
        pause();
    }
}
