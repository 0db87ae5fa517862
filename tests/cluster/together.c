// SPDX-License-Identifier: BSD-3-Clause
// together [<what> [<PE>]]: PEs that a launcher has started find each other. Each compares its number with the
// launcher's, puts a word to every other PE and adds to a counter of every one. PE 0 prints how many PEs there are, and
// over how many nodes.
//
//   dies     that PE (1 unless given) kills itself before the end; the others wait for it
//   aborts   it ends the job by shmem_global_exit(7)
//   leaves, fails, killed, stops
//            it ends before shmem_init(), with 0, with 1 or by a signal, or stops there
//   stays    all go through barriers for ever, once PE 0 has printed
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int wrong(const char* what, long found, long expected) {
    fprintf(stderr, "PE %d: %s is %ld, not %ld\n", shmem_my_pe(), what, found, expected);
    return 1;
}

static void end_early(const char* what) {
    if (strcmp(what, "leaves") == 0 || strcmp(what, "fails") == 0) {
        _exit(strcmp(what, "fails") == 0);
    }
    if (strcmp(what, "killed") == 0 || strcmp(what, "stops") == 0) {
        raise(strcmp(what, "stops") == 0 ? SIGSTOP : SIGKILL);
    }
}

int main(int argc, char** argv) {
    const char* const what = argc > 1 ? argv[1] : "";
    const int special = argc > 2 ? atoi(argv[2]) : 1;
    const char* const launchers = getenv("PMIX_RANK") != NULL ? getenv("PMIX_RANK") : getenv("PMI_RANK");
    if (launchers != NULL && atoi(launchers) == special) {
        end_early(what);
    }
    shmem_init();
    const int me = shmem_my_pe();
    const int all = shmem_n_pes();
    long* const words = shmem_calloc((size_t)all, sizeof(long));
    long* const counter = shmem_calloc(1, sizeof(long));
    char* const names = shmem_calloc((size_t)all, 64);
    char name[64] = "";
    int failed = launchers != NULL && atoi(launchers) != me ? wrong("the launcher's number", atoi(launchers), me) : 0;
    gethostname(name, sizeof(name) - 1);
    shmem_barrier_all();
    for (int pe = 0; pe < all; pe++) {
        shmem_long_p(&words[me], 1000 + me, pe);
        shmem_long_atomic_add(counter, me + 1, pe);
        shmem_putmem(names + me * 64, name, sizeof(name), pe);
    }
    shmem_barrier_all();
    if (me == special && strcmp(what, "dies") == 0) {
        raise(SIGKILL);
    }
    if (me == special && strcmp(what, "aborts") == 0) {
        shmem_global_exit(7);
    }
    for (int pe = 0; pe < all; pe++) {
        failed |= words[pe] != 1000 + pe ? wrong("a word", words[pe], 1000 + pe) : 0;
    }
    failed |= *counter != (long)all * (all + 1) / 2 ? wrong("the counter", *counter, (long)all * (all + 1) / 2) : 0;
    int nodes = 0;
    for (int pe = 0; pe < all; pe++) {
        int is_new = 1;
        for (int other = 0; other < pe; other++) {
            is_new &= strcmp(names + other * 64, names + pe * 64) != 0;
        }
        nodes += is_new;
    }
    shmem_barrier_all();
    if (me == 0) {
        printf("%d PEs on %d nodes\n", all, nodes);
        fflush(stdout);
    }
    while (strcmp(what, "stays") == 0) {
        shmem_barrier_all();
    }
    shmem_finalize();
    return failed;
}
