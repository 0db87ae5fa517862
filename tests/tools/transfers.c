// SPDX-License-Identifier: BSD-3-Clause
// transfers <bytes> <times>: PE 0 puts and gets so many bytes at PE 1, and both stay. PE 0 prints its job's number, and
// whether all bytes came back as they went.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
    const size_t bytes = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
    const int times = argc > 2 ? atoi(argv[2]) : 0;
    shmem_init();
    unsigned char* const there = shmem_malloc(bytes);
    unsigned char* const sent = malloc(bytes);
    unsigned char* const back = malloc(bytes);
    if (!there || !sent || !back) {
        return 1;
    }
    shmem_barrier_all();
    if (shmem_my_pe() == 0) {
        int wrong = 0;
        for (int i = 0; i < times; i++) {
            for (size_t k = 0; k < bytes; k++) {
                sent[k] = (unsigned char)((k >> 8) * 31 + k + (size_t)i);
            }
            shmem_putmem(there, sent, bytes, 1);
            shmem_quiet();
            memset(back, 0, bytes);
            shmem_getmem(back, there, bytes, 1);
            wrong += memcmp(sent, back, bytes) != 0;
        }
        printf("%s %d\n", getenv("SYNCLINE_JOB"), wrong);
        fflush(stdout);
    }
    for (;;) {
        pause();
    }
}
