/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Method: a program of one PE finds OpenSHMEM's headers under their old names, mpp/, and under those of today, and may
 * include both. C and C++ build the same file.
 */
#include <mpp/shmem.h>
#include <mpp/shmemx.h>
#include <shmem.h>
#include <shmemx.h>

static long word = 40;

int main(void) {
    shmem_init();
    const long old = shmem_long_atomic_fetch_add(&word, 2, shmem_my_pe());
    const int executed_by = shmemx_executed_by(&word, 0);
    shmem_finalize();
    return old == 40 && word == 42 && executed_by == SHMEMX_EXECUTED_BY_CPU ? 0 : 1;
}
