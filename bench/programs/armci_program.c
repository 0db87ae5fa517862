/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `syncline bench armci` runs this ARMCI program with every library. Process 0 times operations on the last process,
 * which waits in a barrier, or computes. All processes take part in the contended mutex and in synchronisation.
 *
 * Process 0 writes one line for each quantity: its name, median, 99th percentile and mean, in nanoseconds of one
 * operation; a sample is as many operations in a row as take a few microseconds. Where a name ends in _fence,
 * ARMCI_Fence() follows each operation and returns when the operation is complete at the target. The program checks all
 * results.
 *
 * usage: armci_program <samples of each> [<only this quantity>]
 */
#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef ARMCI_MPI /* such a library's own name: it lets the program initialise MPI */
#include <mpi.h>
#endif

#include "timing.h"

enum {
    side = 1024,
    block = 64,
    large = 1 << 20,
    sums_count = 4096,
    written_bytes = 256,
    mutex_rounds = 20,
    computing_runs = 10
};

static int me, processes, other;
static long samples;
static const char* only; /* or NULL */
static void **arrays, **sums, **words, **gathered;
static char* local;
static double* ones;
static long bytes_now, doubles_now;             /* length of the operation that is timed */
static long accumulated[sums_count + 1], added; /* how many of each length process 0 has started */

static void fail(const char* text) {
    fprintf(stderr, "armci_program: process %d: %s\n", me, text);
    ARMCI_Error("the benchmark ends", 2);
}

static int is_wanted(const char* name) {
    return only == NULL || strcmp(only, name) == 0;
}

/* ---- Operations of process 0 on the last one ---- */

static int row_bytes = block * sizeof(double), line_bytes = side * sizeof(double);
static int counts[2] = {block * sizeof(double), block};

static void* middle_of_array(void) {
    return (double*)arrays[other] + 300 * side + 200;
}
static void put(void) {
    ARMCI_Put(local, arrays[other], (int)bytes_now, other);
}
static void get(void) {
    ARMCI_Get(arrays[other], local, (int)bytes_now, other);
}
static void put_strided(void) {
    ARMCI_PutS(local, &row_bytes, middle_of_array(), &line_bytes, counts, 1, other);
}
static void get_strided(void) {
    ARMCI_GetS(middle_of_array(), &line_bytes, local, &row_bytes, counts, 1, other);
}
static void accumulate(void) {
    double scale = 1;
    ARMCI_Acc(ARMCI_ACC_DBL, &scale, ones, sums[other], (int)(doubles_now * (long)sizeof(double)), other);
    accumulated[doubles_now]++;
}
static void fetch_add(void) {
    long old = 0;
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, words[other], 1, other);
    added++;
}

static void fence(void) {
    ARMCI_Fence(other);
}
static void put_fence(void) {
    put();
    fence();
}
static void put_strided_fence(void) {
    put_strided();
    fence();
}
static void accumulate_fence(void) {
    accumulate();
    fence();
}

static void time_operation(const char* name, void (*operation)(void), long count) {
    if (!is_wanted(name)) {
        return;
    }
    armci_msg_barrier();
    if (me == 0) {
        time_in_batches(name, operation, fence, count);
    }
    armci_msg_barrier();
}

/*
 * The target computes for 20 ms and does not call the library; the operation starts after a millisecond of these, when
 * the target has surely left the barrier.
 */
static void time_computing(const char* name, void (*operation)(void)) {
    double values[computing_runs];
    for (int i = 0; i < computing_runs && is_wanted(name); i++) {
        armci_msg_barrier();
        const double came = now_ns();
        while (me == 0 && now_ns() - came < 1e6) {
        }
        const double started = now_ns();
        if (me == 0) {
            operation();
            values[i] = now_ns() - started;
            fence();
        }
        while (me == other && now_ns() - came < 20e6) {
        }
    }
    armci_msg_barrier();
    if (me == 0 && is_wanted(name)) {
        report(name, values, computing_runs);
    }
}

static void time_named(const char* form, long size, void (*operation)(void), long count) {
    char name[64];
    snprintf(name, sizeof(name), form, size);
    time_operation(name, operation, count);
}

static void time_transfers(void) {
    static const long sizes[] = {8, 64, 512, 4096, 32768, large};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        const long count = sizes[i] == large ? samples / 20 + 10 : samples;
        bytes_now = sizes[i];
        time_named("put_%ld", sizes[i], put, count);
        time_named("put_%ld_fence", sizes[i], put_fence, count);
        time_named("get_%ld", sizes[i], get, count);
    }
    time_operation("put_block", put_strided, samples);
    time_operation("put_block_fence", put_strided_fence, samples);
    time_operation("get_block", get_strided, samples);
}

static void time_accumulates(void) {
    static const long sizes[] = {8, 512, sums_count};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        char name[64];
        doubles_now = sizes[i];
        time_named("acc_%ld", sizes[i], accumulate, samples);
        time_named("acc_%ld_fence", sizes[i], accumulate_fence, samples);
        snprintf(name, sizeof(name), "acc_%ld_computing", sizes[i]);
        time_computing(name, accumulate);
        snprintf(name, sizeof(name), "acc_%ld_fence_computing", sizes[i]);
        time_computing(name, accumulate_fence);
    }
}

/* ---- All processes ---- */

/* Only the mutex makes the sum of these reads and writes right. */
static void check_mutex(void) {
    const long sections = 20;
    long* const word = (long*)words[0] + 1;
    for (long i = 0; i < sections; i++) {
        ARMCI_Lock(0, 0);
        ARMCI_PutValueLong(ARMCI_GetValueLong(word, 0) + 1, word, 0);
        ARMCI_Fence(0);
        ARMCI_Unlock(0, 0);
    }
    ARMCI_Barrier();
    if (me == 0 && ARMCI_GetValueLong(word, 0) != sections * processes) {
        fail("the mutex let two processes in");
    }
}

/* All processes contend for one mutex of process 0. Measures the time of an empty section. */
static void time_mutex(void) {
    double values[mutex_rounds];
    const long sections = samples / 20 + 5;
    if (!is_wanted("mutex")) {
        return;
    }
    ARMCI_Create_mutexes(me == 0 ? 1 : 0);
    check_mutex();
    for (int round = 0; round < mutex_rounds; round++) {
        armci_msg_barrier();
        const double started = now_ns();
        for (long i = 0; i < sections; i++) {
            ARMCI_Lock(0, 0);
            ARMCI_Unlock(0, 0);
        }
        armci_msg_barrier();
        values[round] = (now_ns() - started) / (double)sections / processes;
    }
    ARMCI_Destroy_mutexes();
    if (me == 0) {
        report("mutex", values, mutex_rounds);
    }
}

static void put_to_all(int is_blocking) {
    for (int next = 1; next < processes; next++) {
        const int process = (me + next) % processes;
        char* const target = (char*)arrays[process] + me * written_bytes;
        if (is_blocking) {
            ARMCI_Put(local, target, written_bytes, process);
        } else {
            ARMCI_NbPut(local, target, written_bytes, process, NULL);
        }
    }
}

/*
 * Each process puts to every other one, a barrier gathers all, and ARMCI_Barrier() is timed at all processes, as the
 * experiment with GA_Sync() does it. `whole`: with the puts, which then do not block.
 */
static void time_sync(const char* name, int whole) {
    const long count = samples / 4 + 10;
    double* const values = malloc((size_t)count * sizeof(*values));
    for (long i = -10; i < count && is_wanted(name); i++) {
        if (!whole) {
            put_to_all(1);
        }
        armci_msg_barrier();
        const double started = now_ns();
        if (whole) {
            put_to_all(0);
        }
        ARMCI_Barrier();
        if (i >= 0) {
            values[i] = now_ns() - started;
        }
        armci_msg_barrier(); /* or the next puts would be in the times of those that have not noticed the end */
    }
    if (is_wanted(name)) {
        ARMCI_Put(values, (double*)gathered[0] + me * count, (int)(count * (long)sizeof(*values)), 0);
        ARMCI_Barrier();
        if (me == 0) {
            report(name, gathered[0], count * processes);
        }
        ARMCI_Barrier();
    }
    free(values);
}

/* ---- Results ---- */

static void check_transfers(void) {
    const int bytes = block * block * (int)sizeof(double);
    double* const values = (double*)local;
    for (int i = 0; i < block * block; i++) {
        values[i] = i + 1;
    }
    put_strided();
    fence();
    memset(local, 0, (size_t)bytes);
    get_strided();
    for (int i = 0; i < block * block; i++) {
        if (values[i] != i + 1) {
            fail("a block is not what was put there");
        }
    }
    ARMCI_Get((double*)middle_of_array() + block, local, (int)sizeof(double), other);
    if (values[0] != 0) {
        fail("a put of a block wrote beside the block");
    }
    bytes_now = large;
    memset(local, 7, large);
    put_fence();
    memset(local, 0, large);
    get();
    if (local[0] != 7 || memcmp(local, local + 1, large - 1) != 0) {
        fail("a get does not find what was put there");
    }
}

static void check_sums(void) {
    static const int places[] = {0, 8, 512};
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        double expected = 0, found = -1;
        for (int length = places[i] + 1; length <= sums_count; length++) {
            expected += (double)accumulated[length];
        }
        ARMCI_Get((double*)sums[other] + places[i], &found, (int)sizeof(found), other);
        if (found != expected) {
            fail("an accumulate was lost, or done twice");
        }
    }
    if (ARMCI_GetValueLong(words[other], other) != added) {
        fail("a fetch&add was lost, or done twice");
    }
}

/* ---- */

static void** allocate(size_t bytes) {
    void** const addresses = malloc((size_t)processes * sizeof(*addresses));
    if (ARMCI_Malloc(addresses, (armci_size_t)bytes) != 0) {
        fail("ARMCI_Malloc has no room");
    }
    memset(addresses[me], 0, bytes);
    return addresses;
}

static void set_up(void) {
    me = armci_msg_me();
    processes = armci_msg_nproc();
    other = processes - 1;
    if (processes < 2 || samples < 1) {
        fail("usage: armci_program <samples of each>, by two processes or more");
    }
    arrays = allocate((size_t)side * side * sizeof(double));
    sums = allocate(sums_count * sizeof(double));
    words = allocate(2 * sizeof(long));
    gathered = allocate((size_t)(samples / 4 + 10) * (size_t)processes * sizeof(double));
    local = ARMCI_Malloc_local(large);
    ones = ARMCI_Malloc_local(sums_count * sizeof(double));
    if (local == NULL || ones == NULL) {
        fail("ARMCI_Malloc_local has no room");
    }
    memset(local, 0, large);
    for (int i = 0; i < sums_count; i++) {
        ones[i] = 1;
    }
    ARMCI_Barrier();
}

static void tear_down(void) {
    void** const all[] = {arrays, sums, words, gathered};
    ARMCI_Barrier();
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        ARMCI_Free(all[i][me]);
        free(all[i]);
    }
    ARMCI_Free_local(local);
    ARMCI_Free_local(ones);
}

int main(int argc, char** argv) {
#ifdef ARMCI_MPI
    MPI_Init(&argc, &argv);
#endif
    ARMCI_Init();
    samples = argc > 1 ? atol(argv[1]) : 1000;
    only = argc > 2 ? argv[2] : NULL;
    set_up();
    if (me == 0) {
        check_transfers();
    }
    time_transfers();
    time_accumulates();
    time_operation("fetch_add", fetch_add, samples);
    if (me == 0) {
        check_sums();
    }
    ARMCI_Barrier();
    time_mutex();
    time_sync("sync_after_puts", 0);
    time_sync("puts_and_sync", 1);
    tear_down();
    ARMCI_Finalize();
#ifdef ARMCI_MPI
    MPI_Finalize();
#endif
    return 0;
}
