// SPDX-License-Identifier: BSD-3-Clause
// Goes through barriers for ever.
#include <shmem.h>
#include <stdio.h>

int main(void) {
    shmem_init();
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        puts("ready");
        fflush(stdout);
    }
    for (;;) {
        shmem_barrier_all();
    }
}
