// SPDX-License-Identifier: BSD-3-Clause
// adds <milliseconds> [<file>]: each PE adds to a counter of every other PE, in turn, reads from it and writes to it
// long and short, goes through barriers, and counts what it has added. In the end each counter is exactly that. PE 0
// makes the file as soon as all have begun, ends earlier if the file is removed, and prints the sum.
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { bytes = 200000 };

static long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int failed(const char* what, long found, long expected) {
    fprintf(stderr, "PE %d: %s is %ld, not %ld\n", shmem_my_pe(), what, found, expected);
    return 1;
}

// A block there and back.
static int exchange(char* block, char* copy, int pe, long round) {
    const int me = shmem_my_pe();
    char* const mine = block + (size_t)me * bytes;
    memset(copy, (int)(round * 7 + me), bytes);
    shmem_putmem(mine, copy, bytes, pe);
    shmem_quiet();
    memset(copy, 0, bytes);
    shmem_getmem(copy, mine, bytes, pe);
    for (long i = 0; i < bytes; i++) {
        if (copy[i] != (char)(round * 7 + me)) {
            return failed("a byte", copy[i], round * 7 + me);
        }
    }
    return 0;
}

int main(int argc, char** argv) {
    const long duration = argc > 1 ? atol(argv[1]) : 100;
    shmem_init();
    const int me = shmem_my_pe();
    const int all = shmem_n_pes();
    static long counter;
    long* const added = calloc((size_t)all, sizeof(long));
    long* const to_me = shmem_calloc((size_t)all, sizeof(long));
    long* const go_on = shmem_calloc(1, sizeof(long));
    char* const block = shmem_calloc((size_t)all, bytes);
    char* const copy = malloc(bytes);
    int wrong = 0;
    shmem_barrier_all();
    if (me == 0 && argc > 2) {
        fclose(fopen(argv[2], "w"));
    }
    const long end = now_ms() + duration;
    for (long round = 0;; round++) {
        const int pe = (me + 1 + (int)(round % (all - 1))) % all;
        for (int i = 0; i < 50; i++) {
            (void)shmem_long_atomic_fetch_add(&counter, 1, pe);
        }
        added[pe] += 50;
        wrong |= round % 8 == 0 ? exchange(block, copy, pe, round) : 0;
        if (round % 16 == 15) {
            if (me == 0) {
                *go_on = now_ms() < end && (argc <= 2 || access(argv[2], F_OK) == 0);
            }
            shmem_barrier_all();
            if (!shmem_long_g(go_on, 0)) {
                break;
            }
            shmem_barrier_all();
        }
    }
    for (int pe = 0; pe < all; pe++) {
        shmem_long_p(&to_me[me], added[pe], pe);
    }
    shmem_barrier_all();
    long expected = 0;
    for (int pe = 0; pe < all; pe++) {
        expected += to_me[pe];
    }
    wrong |= counter != expected ? failed("the counter", counter, expected) : 0;
    if (me == 0) {
        printf("%d PEs have added %ld to this one\n", all, counter);
    }
    shmem_barrier_all();
    shmem_finalize();
    return wrong;
}
