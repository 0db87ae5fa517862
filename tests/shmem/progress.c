// SPDX-License-Identifier: BSD-3-Clause
// Operations aimed at a PE that computes are executed while it does; operations that a computing PE has started leave
// it.
#include <shmemx.h>

#include "check.h"

static long word, done, handed;

static void compute_until(const long* flag) {
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) {
    }
}

void run_progress(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    CHECK(shmemx_executed_by(&word, me) >= 0 && shmemx_executed_by(&me, me) == -1);
    if (me == 0) {
        // Calls nothing until the others are through with its memory.
        shmem_long_atomic_inc(&handed, pes - 1);
        compute_until(&done);
        CHECK(word == 2000L * (pes - 1));
    } else {
        if (me == pes - 1) {
            shmem_long_wait_until(&handed, SHMEM_CMP_EQ, 1);
        }
        for (int i = 0; i < 1000; i++) {
            shmem_long_atomic_add(&word, 1, 0);
            (void)shmem_long_atomic_fetch_add(&word, 1, 0);
        }
        shmem_quiet();
        static long arrived;
        if (shmem_long_atomic_fetch_inc(&arrived, 1) == pes - 2) {
            shmem_long_p(&done, 1, 0);
            shmem_quiet();
        }
    }
    shmem_barrier_all();
    shmem_finalize();
}
