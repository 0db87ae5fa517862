// SPDX-License-Identifier: BSD-3-Clause
// libraries linked | preloaded <library> | opened <library> | relative <library>
//
// Method: a program with nine libraries of its own puts to variables of all of them at the next PE. preloaded, opened:
// one PE has a library more, through LD_PRELOAD or dlopen(); the variables of the others are symmetric all the same.
// relative: all PEs find a tenth library by a relative path, and its variables are symmetric, too.
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

long* values_of_part_1(void);
long* values_of_part_2(void);
long* values_of_part_3(void);
long* values_of_part_4(void);
long* values_of_part_5(void);
long* values_of_part_6(void);
long* values_of_part_7(void);
long* values_of_part_8(void);
long* values_of_part_9(void);

static long own[2] = {77, 0};

static void put_around(long* values, long number) {
    const int me = shmem_my_pe(), size = shmem_n_pes();
    CHECK(values[0] == number);
    CHECK(shmem_ptr(values, me) == values);
    shmem_long_p(values + 1, 100 * number + me, (me + 1) % size);
    shmem_barrier_all();
    CHECK(values[1] == 100 * number + (me + size - 1) % size);
    CHECK(values[0] == number);
}

static long* open_library(const char* path) {
    void* const library = dlopen(path, RTLD_NOW);
    long* (*values)(void) = NULL;
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    *(void**)&values = dlsym(library, "values_of_part_10");
    return values();
}

static int is_first(void) {
    const char* const rank = getenv("SYNCLINE_RANK");
    return rank == NULL || strcmp(rank, "0") == 0;
}

int main(int argc, char** argv) {
    long* tenth = NULL;
    if (strcmp(argv[1], "preloaded") == 0 && is_first() && getenv("LD_PRELOAD") == NULL) {
        setenv("LD_PRELOAD", argv[2], 1);
        execv("/proc/self/exe", argv);
    } else if (strcmp(argv[1], "opened") == 0 && is_first()) {
        (void)open_library(argv[2]);
    } else if (strcmp(argv[1], "relative") == 0) {
        char* const name = strrchr(argv[2], '/');
        *name = '\0';
        if (chdir(argv[2]) != 0) {
            return 1;
        }
        *name = '.';
        char relative[256] = "./";
        strncat(relative, name + 1, sizeof(relative) - 3);
        tenth = open_library(relative);
    }
    shmem_init();
    put_around(own, 77);
    put_around(values_of_part_1(), 1);
    put_around(values_of_part_2(), 2);
    put_around(values_of_part_3(), 3);
    put_around(values_of_part_4(), 4);
    put_around(values_of_part_5(), 5);
    put_around(values_of_part_6(), 6);
    put_around(values_of_part_7(), 7);
    put_around(values_of_part_8(), 8);
    put_around(values_of_part_9(), 9);
    if (tenth != NULL) {
        put_around(tenth, 10);
    }
    shmem_finalize();
    return argc > 3;
}
