// SPDX-License-Identifier: BSD-3-Clause
// Method: PE 1 ends in the way that is named while the others wait for it in the way that is named. exits.sh says what
// becomes of the job.
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static long word, lock, about_to_wait;

static int is(const char* name, const char* other) {
    return strcmp(name, other) == 0;
}

static void end(const char* how) {
    if (is(how, "exit")) {
        exit(3);
    } else if (is(how, "_exit")) {
        _exit(0);
    } else if (is(how, "quick_exit")) {
        quick_exit(4);
    }
    raise(SIGKILL);
}

static void wait_for_it(const char* how) {
    if (is(how, "lock")) {
        shmem_set_lock(&lock);
    } else if (is(how, "test_lock")) {
        while (shmem_test_lock(&lock) != 0) {
        }
    } else if (is(how, "test")) {
        while (shmem_long_test(&word, SHMEM_CMP_EQ, 1) == 0) {
        }
    } else if (is(how, "barrier")) {
        shmem_barrier_all();
    } else if (is(how, "put")) {  // to the PE that ends: nothing but the puts can notice
        for (;;) {
            shmem_long_p(&word, 7, 1);
            shmem_quiet();
        }
    } else if (is(how, "memory")) {
        while (*(volatile long*)&word != 1) {
        }
    } else {
        shmem_long_wait_until(&word, SHMEM_CMP_EQ, 1);
    }
}

// A child that exits, however, is no PE: the parent's job goes on.
static void fork_child(const char* how) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        if (is(how, "barrier")) {
            shmem_barrier_all();
        } else if (is(how, "init")) {
            shmem_init();
        }
        is(how, "_exit") ? _exit(0) : exit(5);
    }
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == (is(how, "_exit") ? 0 : is(how, "barrier") || is(how, "init") ? 1 : 5));
    shmem_long_atomic_inc(&word, 0);
    shmem_barrier_all();
    CHECK(shmem_my_pe() != 0 || word == shmem_n_pes());
}

int main(int argc, char** argv) {
    const char* const how = argv[1];
    const char* const waits = argc > 2 ? argv[2] : "";
    if (is(how, "early") && is(getenv("SYNCLINE_RANK"), "1")) {
        exit(atoi(waits));
    }
    shmem_init();
    if (is(how, "fork")) {
        fork_child(waits);
    } else {
        const int has_lock = strstr(waits, "lock") != NULL;
        if (has_lock && shmem_my_pe() == 1) {
            shmem_set_lock(&lock);
        }
        shmem_barrier_all();
        if (shmem_my_pe() == 1) {
            shmem_long_wait_until(&about_to_wait, SHMEM_CMP_EQ, shmem_n_pes() - 1);
            usleep(20000);  // and now they do
            end(how);
        }
        shmem_long_atomic_inc(&about_to_wait, 1);
        shmem_quiet();
        wait_for_it(waits);
    }
    shmem_finalize();
    return 0;
}
