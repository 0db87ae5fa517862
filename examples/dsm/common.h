// SPDX-License-Identifier: BSD-3-Clause
// The frame of the five applications in this folder, which are those of Noronha and Panda's paper on DSM over
// InfiniBand (2004, section 5.3): the command line, the clock, verification and the line of results. Each application
// is written twice on one set of kernels: for one process in private memory, which is the base of speed-ups, and for
// any number of processes in shared memory.
//
//      NAME [--size large|small|N] [--iterations N] [--verify] [--sequential]
//
// Process 0 prints one line of JSON. Its seconds are those of the slowest process, without initialisation. A parallel
// program's line has statistics of the timed part, by the names of syncline_dsm_statistics_t: the sum of all processes
// and the greatest.
#ifndef SYNCLINE_EXAMPLES_DSM_COMMON_H
#define SYNCLINE_EXAMPLES_DSM_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <syncline/dsm.h>

enum { page_bytes = 4096 };

typedef struct {
    long size;
    int iterations;
    bool verify;    // results are needed after the timed part
    int me;         // 0 in the sequential program
    int processes;  // 1 in the sequential program
} run_t;

typedef struct {
    const char* name;
    long large, small;                  // sizes of the paper's table 2
    int iterations;                     // unless --iterations says otherwise
    const char* (*refusal)(long size);  // why there is no run of this size, or NULL
    size_t (*shared_bytes)(const run_t* run);
    // Both return the seconds of the timed part, and leave a result that `equal` compares and `release` frees.
    double (*sequential)(const run_t* run, void** result);
    double (*parallel)(const run_t* run, void** result);
    bool (*equal)(const run_t* run, const void* parallel, const void* sequential);  // says on stderr how they differ
    void (*release)(void* result, bool shared);
} application_t;

int run_application(const application_t* application, int argc, char** argv);

double clock_seconds(void);

// Around the timed part of a parallel program, or each of its pieces: begin returns the time, end the seconds since
// then. The statistics of results are of what is between the two.
double begin_timed_part(void);
double end_timed_part(double begun);

// The part of `total` that is the `index`-th of `parts` begins here and ends where the next one begins.
long part_begin(long total, int parts, int index);

// Number `index` of the sequence that `seed` names: any process computes any number of it by itself.
uint64_t random_bits(uint64_t seed, uint64_t index);
double random_unit(uint64_t seed, uint64_t index);  // in [0, 1)

// Zero-filled. These, and the calls below, end the program with a sentence instead of failing.
void* private_memory(size_t bytes);
void* shared_memory(size_t bytes, int homes);  // collective
void barrier(void);
void lock(uint32_t number);
void unlock(uint32_t number);
void flag_set(uint32_t number, uint64_t value);
void flag_wait(uint32_t number, uint64_t value);
_Noreturn void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));

#endif
