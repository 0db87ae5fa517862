// SPDX-License-Identifier: BSD-3-Clause
// Every PE tells PE 0 its number, and a reduction counts the nodes.
//
//      oshrun -np 8 -N 4 hello
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    int* const numbers = shmem_calloc((size_t)pes, sizeof(int));
    static int is_first, nodes;  // static variables are symmetric, too
    is_first = shmem_team_my_pe(SHMEM_TEAM_SHARED) == 0;
    if (numbers == NULL) {
        shmem_global_exit(1);
    }

    shmem_int_p(&numbers[me], me + 1, 0);
    shmem_int_sum_reduce(SHMEM_TEAM_WORLD, &nodes, &is_first, 1);
    shmem_barrier_all();

    int wrong = 0;
    if (me == 0) {
        for (int pe = 0; pe < pes; pe++) {
            wrong += numbers[pe] != pe + 1;
        }
        char name[SHMEM_MAX_NAME_LEN];
        shmem_info_get_name(name);
        printf("hello: %d PE%s on %d node%s, %s: %s\n", pes, pes == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s", name,
               wrong == 0 ? "right" : "WRONG");
    }
    shmem_free(numbers);
    shmem_finalize();
    return wrong != 0;
}
