/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * descriptors <closed>...: a PE among those that tests/tools/descriptors starts. The descriptors 0 to 2 that are named
 * were closed when the launcher or this program started: they are /dev/null now, and input has an end. None of the
 * three is one of the library's. Ends with 0 if all this is so.
 */
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static int is_null(const struct stat* found) {
    return S_ISCHR(found->st_mode) && major(found->st_rdev) == 1 && minor(found->st_rdev) == 3;
}

static int is_the_users(const struct stat* found) {
    return S_ISCHR(found->st_mode) || S_ISREG(found->st_mode) || S_ISFIFO(found->st_mode);
}

int main(int argc, char** argv) {
    shmem_init();
    long* const word = shmem_malloc(1 << 20);
    int wrong = word == NULL;
    for (int fd = 0; fd <= 2; fd++) {
        struct stat found;
        wrong += fstat(fd, &found) != 0 || !is_the_users(&found) ? 10 : 0;
    }
    for (int i = 1; i < argc; i++) {
        struct stat found;
        wrong += fstat(atoi(argv[i]), &found) != 0 || !is_null(&found) ? 1 : 0;
    }
    for (int line = 0; line < 100; line++) {
        printf("a line of output, number %d\n", line);
    }
    wrong += argc > 1 && atoi(argv[1]) == 0 && getchar() != EOF ? 1 : 0;
    shmem_barrier_all();
    shmem_finalize();
    return wrong;
}
