/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the programs of the benchmarks measure, and what they print: one line for each quantity, with its name, median,
 * 99th percentile and mean, in nanoseconds of one operation. `syncline bench` puts this file beside each program.
 */
#ifndef TIMING_H
#define TIMING_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static inline int compare(const void* left, const void* right) {
    const double x = *(const double*)left, y = *(const double*)right;
    return (x > y) - (x < y);
}

static inline void report(const char* name, double* values, long count) {
    double sum = 0;
    for (long i = 0; i < count; i++) {
        sum += values[i];
    }
    qsort(values, (size_t)count, sizeof(*values), compare);
    printf("%s %.2f %.2f %.2f\n", name, values[count / 2], values[(count * 99) / 100], sum / (double)count);
    fflush(stdout);
}

/* Returns how many operations in a row take some 5 us. */
static inline long batch_of(void (*operation)(void), void (*complete)(void)) {
    long batch = 1;
    for (;;) {
        const double started = now_ns();
        for (long i = 0; i < batch; i++) {
            operation();
        }
        if (now_ns() - started > 5000 || batch >= 1024) {
            complete();
            return batch;
        }
        batch *= 2;
    }
}

static inline void time_in_batches(const char* name, void (*operation)(void), void (*complete)(void), long count) {
    double* const values = (double*)malloc((size_t)count * sizeof(*values));
    (void)batch_of(operation, complete);
    const long batch = batch_of(operation, complete);
    for (long i = 0; i < count; i++) {
        const double started = now_ns();
        for (long k = 0; k < batch; k++) {
            operation();
        }
        values[i] = (now_ns() - started) / (double)batch;
        if (i % 64 == 63) {
            complete(); /* no program starts operations without ever completing them */
        }
    }
    complete();
    report(name, values, count);
    free(values);
}

#endif
