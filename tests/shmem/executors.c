// SPDX-License-Identifier: BSD-3-Clause
// Prints who executes operations on memory of this PE and of the last one, for the test of `syncline info`.
#include <shmemx.h>

#include "check.h"

static long word;

static const char* name_of(int executor) {
    static const char* const names[] = {"CPU", "NIC", "agent"};
    CHECK(executor >= 0 && executor <= 2);
    return names[executor];
}

int main(void) {
    shmem_init();
    if (shmem_my_pe() == 0) {
        printf("%s %s\n", name_of(shmemx_executed_by(&word, 0)), name_of(shmemx_executed_by(&word, shmem_n_pes() - 1)));
    }
    shmem_finalize();
    return 0;
}
