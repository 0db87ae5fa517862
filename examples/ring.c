// SPDX-License-Identifier: BSD-3-Clause
// A block of numbers goes round all PEs, each of which adds its own to it. put_signal brings the data and then tells
// the next PE, which waits for that in its own memory.
//
//      oshrun -np 8 -N 4 ring [rounds]
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { count = 100 };
static long block[count];
static uint64_t arrived;  // how often the block has come here

static void pass_on(int next) {
    shmem_long_put_signal(block, block, count, &arrived, 1, SHMEM_SIGNAL_ADD, next);
}

int main(int argc, char** argv) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    const int next = (me + 1) % pes;
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 100;

    if (me == 0) {
        pass_on(next);
    }
    for (long round = 1; round <= rounds; round++) {
        shmem_signal_wait_until(&arrived, SHMEM_CMP_GE, (uint64_t)round);
        for (int i = 0; i < count; i++) {
            block[i] += me + i;
        }
        if (me != 0 || round != rounds) {
            pass_on(next);
        }
    }
    shmem_barrier_all();

    int wrong = 0;
    if (me == 0) {
        for (int i = 0; i < count; i++) {
            long expected = 0;
            for (int pe = 0; pe < pes; pe++) {
                expected += rounds * (pe + i);
            }
            wrong += block[i] != expected;
        }
        printf("ring: %ld rounds of %d PEs, %d longs: %s\n", rounds, pes, count, wrong == 0 ? "right" : "WRONG");
    }
    shmem_finalize();
    return wrong != 0;
}
