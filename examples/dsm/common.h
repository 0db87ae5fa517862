// SPDX-License-Identifier: BSD-3-Clause
// The parts that the five applications in this folder share: the command line, the clock, verification and the line of
// results. The applications are those of Noronha 2004, section 5.3. Each has two programs, which call the same
// kernels: a sequential one for one process and private memory, which is the base of speed-ups, and a parallel one for
// any number of processes and shared memory.
//
//      NAME [--size large|small|N] [--iterations N] [--verify] [--sequential]
//
// Process 0 prints a line of JSON. `seconds` is the time of the slowest process, without initialisation. The line of a
// parallel program also has statistics of the timed part, named after the members of syncline_dsm_statistics_t: for
// each member, the sum over all processes and the greatest value of any process.
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
    bool verify;    // process 0 checks the results after the timed part
    int me;         // 0 in the sequential program
    int processes;  // 1 in the sequential program
} run_t;

typedef struct {
    const char* name;
    long large, small;                  // sizes of table 2 of Noronha 2004
    int iterations;                     // without --iterations
    const char* (*refusal)(long size);  // returns why the application refuses this size, or NULL; may be NULL
    size_t (*shared_bytes)(const run_t* run);
    // Both return the seconds of the timed part, and set *result, which `equal` compares and `release` frees.
    double (*sequential)(const run_t* run, void** result);
    double (*parallel)(const run_t* run, void** result);
    // Prints the first difference to stderr.
    bool (*equal)(const run_t* run, const void* parallel, const void* sequential);
    void (*release)(void* result, bool shared);
} application_t;

int run_application(const application_t* application, int argc, char** argv);

double clock_seconds(void);

// A parallel program calls both around its timed part, or around each piece of it. begin_timed_part() returns the time;
// end_timed_part() returns the seconds since `begun`. The statistics in the line of results cover these parts only.
double begin_timed_part(void);
double end_timed_part(double begun);

// Divides `total` items into `parts` equal parts. Returns the first item of part `index`, which ends where the next
// part begins.
long part_begin(long total, int parts, int index);

// Return number `index` of the random sequence of `seed`. Any process can compute any number of a sequence, without the
// numbers before it.
uint64_t random_bits(uint64_t seed, uint64_t index);
double random_unit(uint64_t seed, uint64_t index);  // in [0, 1)

// The memory is zero-filled. These calls, and those below, print an error message and end the program if they fail.
void* private_memory(size_t bytes);
void* shared_memory(size_t bytes, int homes);  // collective
void barrier(void);
void lock(uint32_t number);
void unlock(uint32_t number);
void flag_set(uint32_t number, uint64_t value);
void flag_wait(uint32_t number, uint64_t value);
_Noreturn void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));

#endif
