/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `syncline bench bulk` runs this MPI program with two ranks. Rank 0 times one-sided operations on rank 1's window,
 * which it has locked by MPI_Win_lock_all, each with the flush that completes it there. Rank 1 waits inside MPI, which
 * then makes progress. For `accumulate_computing` rank 1 first computes for `compute_ns` without a call of MPI, and
 * then waits inside MPI.
 *
 * Rank 0 writes one line for each quantity: its name, median, 99th percentile and mean, in nanoseconds of one
 * operation.
 *
 * usage: mpi_program <samples of each> <of each that moves 64 KiB or more> <compute_ns> <samples of a rank that
 * computes>
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

enum { large = 1 << 20, doubles = 4096, target = 1 };

static int me;
static MPI_Win window;
static char *memory, *local;
static long result;
static const long one = 1;

static void fetch_add(int bytes) {
    (void)bytes;
    MPI_Fetch_and_op(&one, &result, MPI_LONG, target, 0, MPI_SUM, window);
    MPI_Win_flush(target, window);
}
static void get(int bytes) {
    MPI_Get(local, bytes, MPI_BYTE, target, 0, bytes, MPI_BYTE, window);
    MPI_Win_flush(target, window);
}
static void put(int bytes) {
    MPI_Put(local, bytes, MPI_BYTE, target, 0, bytes, MPI_BYTE, window);
    MPI_Win_flush(target, window);
}
static void accumulate(int bytes) {
    const int count = bytes / (int)sizeof(double);
    MPI_Accumulate(local, count, MPI_DOUBLE, target, 0, count, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_flush(target, window);
}

/* Rank 1 then waits in the next barrier. A measurement begins with zeros in the window. */
static void begin(void) {
    for (int i = 0; i < large / (int)sizeof(double); i++) {
        ((double*)memory)[i] = 0;
        ((double*)local)[i] = 1;
    }
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void time_operation(const char* name, void (*operation)(int), int bytes, long count) {
    begin();
    if (me == 0) {
        double* const values = malloc((size_t)count * sizeof(*values));
        for (long i = -(count / 10 + 5); i < count; i++) {
            const double started = now_ns();
            operation(bytes);
            if (i >= 0) {
                values[i] = now_ns() - started;
            }
        }
        report(name, values, count);
        free(values);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Returns whether all sums in rank 1's window are that many ones. */
static void expect_sums(const char* name, long times) {
    MPI_Win_sync(window);
    for (int i = 0; me == target && i < doubles; i++) {
        if (((double*)memory)[i] != (double)times) {
            fprintf(stderr, "%s: number %d is %g instead of %ld\n", name, i, ((double*)memory)[i], times);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static void time_computing(double compute_ns, long count) {
    double* const values = malloc((size_t)count * sizeof(*values));
    begin();
    for (long i = 0; i < count; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double started = now_ns();
        if (me == 0) {
            accumulate(doubles * (int)sizeof(double));
            values[i] = now_ns() - started;
        } else {
            while (now_ns() - started < compute_ns) {
            }
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    expect_sums("accumulate_computing", count);
    if (me == 0) {
        report("accumulate_computing", values, count);
    }
    free(values);
}

int main(int argc, char** argv) {
    int ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const long few = argc == 5 ? atol(argv[2]) : 0, many = argc == 5 ? atol(argv[1]) : 0;
    if (ranks != 2 || few < 1 || many < 1 || atol(argv[4]) < 1) {
        fprintf(stderr, "mpi_program is started by `syncline bench`, with two ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Win_allocate(large, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    local = malloc(large);
    MPI_Win_lock_all(0, window);
    time_operation("fetch_add", fetch_add, 8, many);
    time_operation("get_8", get, 8, many);
    time_operation("get_4k", get, 4096, many);
    time_operation("get_64k", get, 65536, few);
    time_operation("get_1m", get, large, few);
    time_operation("put_8", put, 8, many);
    time_operation("put_4k", put, 4096, many);
    time_operation("put_64k", put, 65536, few);
    time_operation("put_1m", put, large, few);
    time_operation("accumulate_waiting", accumulate, doubles * (int)sizeof(double), few);
    expect_sums("accumulate_waiting", few + few / 10 + 5);
    time_computing(atof(argv[3]), atol(argv[4]));
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
