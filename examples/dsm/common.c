// SPDX-License-Identifier: BSD-3-Clause
#include "common.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    double seconds;
    char padding[56];  // a process's line of the cache
} timing_t;

typedef struct {
    run_t run;
    bool sequential;
} options_t;

_Noreturn void fail(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

long part_begin(long total, int parts, int index) {
    return total * index / parts;
}

// The finaliser of splitmix64.
uint64_t random_bits(uint64_t seed, uint64_t index) {
    uint64_t bits = (seed << 32) + (index + 1) * 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}

double random_unit(uint64_t seed, uint64_t index) {
    return (double)(random_bits(seed, index) >> 11) * 0x1p-53;
}

void* private_memory(size_t bytes) {
    void* const memory = calloc(bytes > 0 ? bytes : 1, 1);
    if (memory == NULL) {
        fail("there is no memory for another %zu bytes", bytes);
    }
    return memory;
}

static void check(int status) {
    if (status != SYNCLINE_OK) {
        fail("%s", syncline_last_error());
    }
}

void* shared_memory(size_t bytes, int homes) {
    void* const memory = syncline_dsm_alloc(bytes, homes);
    if (memory == NULL) {
        fail("%s", syncline_last_error());
    }
    return memory;
}

void barrier(void) {
    check(syncline_dsm_barrier());
}

void lock(uint32_t number) {
    check(syncline_dsm_lock(number));
}

void unlock(uint32_t number) {
    check(syncline_dsm_unlock(number));
}

void flag_set(uint32_t number, uint64_t value) {
    check(syncline_dsm_flag_set(number, value));
}

void flag_wait(uint32_t number, uint64_t value) {
    check(syncline_dsm_flag_wait(number, value, NULL));
}

static _Noreturn void refuse(const application_t* application, const char* option, const char* reason) {
    fprintf(stderr, "%s: %s: %s\nusage: %s [--size large|small|N] [--iterations N] [--verify] [--sequential]\n",
            application->name, option, reason, application->name);
    exit(2);
}

static long parse_number(const application_t* application, const char* option, const char* text) {
    char* end = NULL;
    errno = 0;
    const long number = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || number < 1 || number > INT32_MAX) {
        refuse(application, option, "takes a number from 1 on");
    }
    return number;
}

static long parse_size(const application_t* application, const char* text) {
    if (strcmp(text, "large") == 0) {
        return application->large;
    }
    return strcmp(text, "small") == 0 ? application->small : parse_number(application, "--size", text);
}

static options_t parse(const application_t* application, int argc, char** argv) {
    options_t its = {.run = {.size = application->large, .iterations = application->iterations, .processes = 1}};
    for (int i = 1; i < argc; i++) {
        const char* const option = argv[i];
        const bool last = i + 1 == argc;
        if (strcmp(option, "--verify") == 0) {
            its.run.verify = true;
        } else if (strcmp(option, "--sequential") == 0) {
            its.sequential = true;
        } else if (strcmp(option, "--size") == 0 && !last) {
            its.run.size = parse_size(application, argv[++i]);
        } else if (strcmp(option, "--iterations") == 0 && !last) {
            its.run.iterations = (int)parse_number(application, option, argv[++i]);
        } else {
            refuse(application, option, last ? "no such option, or its value is missing" : "no such option");
        }
    }
    if (its.sequential && its.run.verify) {
        refuse(application, "--verify", "compares a run with the sequential one, which has nothing to compare with");
    }
    const char* const reason = application->refusal == NULL ? NULL : application->refusal(its.run.size);
    if (reason != NULL) {
        refuse(application, "--size", reason);
    }
    return its;
}

static void print_results(const application_t* application, const run_t* run, double seconds, const char* verified) {
    printf("{\"application\":\"%s\",\"size\":%ld,\"processes\":%d,\"seconds\":%.6f,\"verified\":%s}\n",
           application->name, run->size, run->processes, seconds, verified);
}

static int run_sequential(const application_t* application, const run_t* run) {
    void* result = NULL;
    const double seconds = application->sequential(run, &result);
    application->release(result, false);
    print_results(application, run, seconds, "null");
    return 0;
}

// Process 0 has everything again in private memory.
static bool verify(const application_t* application, const run_t* run, const void* result) {
    const run_t alone = {.size = run->size, .iterations = run->iterations, .verify = true, .processes = 1};
    void* expected = NULL;
    (void)application->sequential(&alone, &expected);
    const bool equal = application->equal(run, result, expected);
    application->release(expected, false);
    fprintf(stderr, "%s: %s\n", application->name,
            equal ? "verified against the sequential run" : "the results are not those of the sequential run");
    return equal;
}

static double slowest(const timing_t* timings, int processes) {
    double seconds = 0;
    for (int i = 0; i < processes; i++) {
        seconds = timings[i].seconds > seconds ? timings[i].seconds : seconds;
    }
    return seconds;
}

static int run_parallel(const application_t* application, run_t* run) {
    timing_t* const timings = shared_memory((size_t)run->processes * sizeof(timing_t), SYNCLINE_DSM_MINE);
    void* result = NULL;
    timings[run->me].seconds = application->parallel(run, &result);
    barrier();
    bool right = true;
    if (run->me == 0) {
        const double seconds = slowest(timings, run->processes);
        right = !run->verify || verify(application, run, result);
        print_results(application, run, seconds, !run->verify ? "null" : right ? "true" : "false");
    }
    barrier();
    application->release(result, true);
    return right ? 0 : 1;
}

int run_application(const application_t* application, int argc, char** argv) {
    options_t options = parse(application, argc, argv);
    if (options.sequential) {
        return run_sequential(application, &options.run);
    }
    run_t* const run = &options.run;
    check(syncline_init(NULL));
    run->processes = syncline_size();
    const syncline_dsm_options_t dsm = {.struct_size = sizeof(dsm),
                                        .bytes = application->shared_bytes(run) + (1u << 20)};
    check(syncline_dsm_init(&dsm));
    run->me = syncline_dsm_process();
    const int status = run_parallel(application, run);
    check(syncline_dsm_finalize());
    check(syncline_finalize());
    return status;
}
