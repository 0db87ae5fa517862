/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `syncline bench shmem` runs this OpenSHMEM 1.4 program with every library. PE 0 times operations on the last PE. All
 * PEs take part in barriers, collectives, random updates and a contended lock.
 *
 * PE 0 writes one line for each quantity: its name, median, 99th percentile and mean. Times are nanoseconds of one
 * operation, where a sample is as many operations in a row as take a few microseconds; rates are operations per second
 * of all PEs.
 *
 * usage: shmem_program <samples of each> [<only this quantity>]
 */
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

enum { large = 1 << 20, table_words = 1 << 18, xor_rounds = 20, sections = 200 };

static int me, pes, other;
static long samples;
static long* word;
static unsigned long* table;
static char *symmetric, *local;
static volatile long sink;
static const char* only; /* or NULL */

static int is_wanted(const char* name) {
    return only == NULL || strcmp(only, name) == 0;
}

static void fetch_add(void) {
    sink = shmem_long_atomic_fetch_add(word, 1, other);
}
static void compare_swap(void) {
    sink = shmem_long_atomic_compare_swap(word, sink, sink + 1, other);
}
static void p(void) {
    shmem_long_p(word, 1, other);
}
static void g(void) {
    sink = shmem_long_g(word, other);
}
static void get_8(void) {
    shmem_getmem(local, symmetric, 8, other);
}
static void get_4k(void) {
    shmem_getmem(local, symmetric, 4096, other);
}
static void put_8_quiet(void) {
    shmem_putmem(symmetric, local, 8, other);
    shmem_quiet();
}
static void put_1m_quiet(void) {
    shmem_putmem(symmetric, local, large, other);
    shmem_quiet();
}

static void time_operation(const char* name, void (*operation)(void), long count) {
    if (!is_wanted(name)) {
        return;
    }
    shmem_barrier_all();
    if (me == 0) {
        time_in_batches(name, operation, shmem_quiet, count);
    }
    shmem_barrier_all();
}

static void time_barrier(void) {
    double* const values = malloc((size_t)samples * sizeof(*values));
    for (long i = -100; i < samples; i++) {
        const double started = now_ns();
        shmem_barrier_all();
        if (i >= 0) {
            values[i] = now_ns() - started;
        }
    }
    if (me == 0) {
        report("barrier_all", values, samples);
    }
    free(values);
}

/* Collectives of all PEs, enough in a row that the barrier after them is a small part of the time. */
static long sync_words[SHMEM_REDUCE_SYNC_SIZE + SHMEM_BCAST_SYNC_SIZE + SHMEM_COLLECT_SYNC_SIZE];
static long *gathered, *reduced, *work;

static void broadcast(size_t words) {
    shmem_broadcast64(gathered, symmetric, words, 0, 0, 0, pes, sync_words);
}
static void reduce(size_t words) {
    shmem_long_sum_to_all(reduced, (long*)symmetric, (int)words, 0, 0, pes, work, sync_words);
}
static void collect(size_t words) {
    shmem_collect64(gathered, symmetric, words, 0, 0, pes, sync_words);
}
static void fcollect(size_t words) {
    shmem_fcollect64(gathered, symmetric, words, 0, 0, pes, sync_words);
}

static void time_collective(const char* name, void (*collective)(size_t), size_t bytes) {
    const long in_a_row = bytes <= 4096 ? 100 : bytes <= 65536 ? 20 : 4;
    const long count = samples / 40 + 10;
    double* const values = malloc((size_t)count * sizeof(*values));
    if (!is_wanted(name)) {
        free(values);
        return;
    }
    for (long i = -2; i < count; i++) {
        shmem_barrier_all();
        const double started = now_ns();
        for (long k = 0; k < in_a_row; k++) {
            collective(bytes / sizeof(long));
        }
        shmem_barrier_all();
        if (i >= 0) {
            values[i] = (now_ns() - started) / (double)in_a_row;
        }
    }
    if (me == 0) {
        report(name, values, count);
    }
    free(values);
}

static void time_collectives(void) {
    static const struct {
        const char* names[3];
        void (*collective)(size_t);
    } rows[] = {
        {{"broadcast_8", "broadcast_4k", "broadcast_1m"}, broadcast},
        {{"reduce_8", "reduce_4k", "reduce_1m"}, reduce},
        {{"collect_8", "collect_4k", "collect_1m"}, collect},
        {{"fcollect_8", "fcollect_4k", "fcollect_1m"}, fcollect},
    };
    static const size_t sizes[] = {8, 4096, large};
    for (size_t i = 0; i < sizeof(sync_words) / sizeof(*sync_words); i++) {
        sync_words[i] = SHMEM_SYNC_VALUE;
    }
    gathered = shmem_malloc((size_t)pes * large);
    reduced = shmem_malloc(large);
    work = shmem_malloc(large);
    memset(gathered, 0, (size_t)pes * large);
    memset(reduced, 0, large);
    shmem_barrier_all();
    for (size_t row = 0; row < sizeof(rows) / sizeof(*rows); row++) {
        for (size_t size = 0; size < 3; size++) {
            time_collective(rows[row].names[size], rows[row].collective, sizes[size]);
        }
    }
}

/* All PEs at once execute 64-bit xors on random words of all other PEs. */
static void time_random_xor(void) {
    static double rates[xor_rounds];
    uint64_t random = 88172645463325252ull + (uint64_t)me;
    const long updates = samples * 10;
    for (int round = 0; round < xor_rounds; round++) {
        shmem_barrier_all();
        const double started = now_ns();
        for (long i = 0; i < updates; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            const int pe = (me + 1 + (int)((random >> 40) % (uint64_t)(pes - 1))) % pes;
            shmem_ulong_atomic_xor(&table[random % table_words], random, pe);
        }
        shmem_barrier_all();
        rates[round] = (double)updates * pes * 1e9 / (now_ns() - started);
    }
    if (me == 0) {
        report("random_xor", rates, xor_rounds);
    }
}

static long lock;
static long inside;

/* All PEs contend for one lock. A section reads and writes a word that the lock guards; in the end the word shows that
 * it did. */
static void time_lock(void) {
    shmem_barrier_all();
    const double started = now_ns();
    for (int i = 0; i < sections; i++) {
        shmem_set_lock(&lock);
        shmem_long_p(&inside, shmem_long_g(&inside, 0) + 1, 0);
        shmem_quiet();
        shmem_clear_lock(&lock);
    }
    shmem_barrier_all();
    const double section = (now_ns() - started) / (double)sections / pes;
    if (me == 0) {
        report("contended_lock", (double[]){section}, 1);
        if (inside != (long)sections * pes) {
            printf("wrong: %ld sections of %ld were counted\n", inside, (long)sections * pes);
        }
        inside = 0;
    }
    shmem_barrier_all();
}

/* The other PE computes for 20 ms and does not call the library. */
static void time_computing(void) {
    static double values[10];
    for (int i = 0; i < 10; i++) {
        shmem_barrier_all();
        const double started = now_ns();
        if (me == 0) {
            fetch_add();
            values[i] = now_ns() - started;
        } else {
            while (now_ns() - started < 20e6) {
            }
        }
    }
    shmem_barrier_all();
    if (me == 0) {
        report("fetch_add_computing", values, 10);
    }
}

int main(int argc, char** argv) {
    shmem_init();
    me = shmem_my_pe();
    pes = shmem_n_pes();
    other = pes - 1;
    samples = argc > 1 ? atol(argv[1]) : 1000;
    only = argc > 2 ? argv[2] : NULL;
    word = shmem_calloc(1, sizeof(*word));
    table = shmem_calloc(table_words, sizeof(*table));
    symmetric = shmem_calloc(1, large);
    local = calloc(1, large);
    if (pes < 2 || samples < 1 || local == NULL) {
        fprintf(stderr, "usage: shmem_program <samples of each>, by two PEs or more\n");
        shmem_global_exit(2);
    }
    memset(local, 1, large);
    time_operation("fetch_add", fetch_add, samples);
    time_operation("compare_swap", compare_swap, samples);
    time_operation("p", p, samples);
    time_operation("g", g, samples);
    time_operation("get_8", get_8, samples);
    time_operation("get_4k", get_4k, samples);
    time_operation("put_8_quiet", put_8_quiet, samples);
    time_operation("put_1m_quiet", put_1m_quiet, samples / 20 + 10);
    if (is_wanted("barrier_all")) {
        time_barrier();
    }
    time_collectives();
    if (is_wanted("random_xor")) {
        time_random_xor();
    }
    if (is_wanted("contended_lock")) {
        time_lock();
    }
    if (is_wanted("fetch_add_computing")) {
        time_computing();
    }
    shmem_finalize();
    return 0;
}
