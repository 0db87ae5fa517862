/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Method: a program alone is a job of one process. It takes shared memory, a lock and a barrier through the installed
 * header and library, and hands the memory to fwrite(). It names the library of shared memory alone. C and C++ build
 * the same file.
 */
#include <Tmk.h>
#include <stdio.h>

#define REQUIRE(condition)                                                        \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
            return 1;                                                             \
        }                                                                         \
    } while (0)

static int* shared;

int main(int argc, char** argv) {
    FILE* file = tmpfile();
    Tmk_startup(argc, argv);
    REQUIRE(Tmk_proc_id == 0 && Tmk_nprocs == 1);
    shared = (int*)Tmk_malloc(100000 * sizeof(int));
    REQUIRE(shared != NULL && file != NULL);
    Tmk_distribute((char*)&shared, sizeof(shared));
    Tmk_barrier(0);
    Tmk_lock_acquire(0);
    shared[99999] = 7;
    Tmk_lock_release(0);
    REQUIRE(fwrite(shared, sizeof(int), 100000, file) == 100000);
    REQUIRE(fclose(file) == 0);
    Tmk_exit(0);
}
