// SPDX-License-Identifier: BSD-3-Clause
// Method: a PE has a large array and touches three pages of it, one by a put of another PE. The others stay untouched
// when shmem_init() makes the array symmetric, and in a child of fork().
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { page = 4096, part = 64 << 20, touched_max = 8 << 20 };
static const long large = 3l << 30;

static _Alignas(page) char array[3ul << 30];

static long touched_bytes(void) {
    static unsigned char is_here[part / page];
    long bytes = 0;
    for (long at = 0; at < large; at += part) {
        CHECK(mincore(array + at, part, is_here) == 0);
        for (size_t i = 0; i < sizeof(is_here); i++) {
            bytes += (is_here[i] & 1) * page;
        }
    }
    return bytes;
}

int main(void) {
    array[5] = 1;
    array[large / 2] = 2;
    shmem_init();
    CHECK(touched_bytes() < touched_max);
    shmem_putmem(array + large / 4, array + large / 2, 1, (shmem_my_pe() + 1) % shmem_n_pes());
    shmem_barrier_all();
    const pid_t child = fork();
    if (child == 0) {
        const int is_right = array[5] == 1 && array[large / 2] == 2 && array[large / 4] == 2 && array[large - 1] == 0;
        _exit(is_right && touched_bytes() < touched_max ? 0 : 9);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    CHECK(array[5] == 1 && array[large / 4] == 2 && touched_bytes() < touched_max);
    shmem_finalize();
    return 0;
}
