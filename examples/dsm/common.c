// SPDX-License-Identifier: BSD-3-Clause
#include "common.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Members of syncline_dsm_statistics_t.
// clang-format off
#define COUNTS(X)                                                                                                     \
    X(read_faults) X(write_faults) X(fetches) X(pages_fetched) X(pages_prefetched) X(twins) X(diffs) X(diff_bytes)    \
    X(home_updates) X(notices_sent) X(notices_received) X(invalidations) X(homes_assigned) X(lock_acquires)           \
    X(barriers) X(messages_handled) X(fault_ns) X(fetch_ns) X(flush_ns) X(lock_ns) X(barrier_ns) X(handler_ns)
// clang-format on
#define NAME(name) #name,
static const char* const count_names[] = {COUNTS(NAME)};
enum { counts_taken = sizeof(count_names) / sizeof(count_names[0]) };

typedef struct {
    _Alignas(64) double seconds;  // no two processes share a cache line
    uint64_t counts[counts_taken];
} timing_t;

static uint64_t counts_before[counts_taken], counts[counts_taken];  // of the timed part

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

static void check(int status) {
    if (status != SYNCLINE_OK) {
        fail("%s", syncline_last_error());
    }
}

double clock_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void read_counts(uint64_t* to) {
    syncline_dsm_statistics_t now = {.struct_size = sizeof(now)};
    check(syncline_dsm_get_statistics(&now));
#define READ(name) *to++ = now.name;
    COUNTS(READ)
}

double begin_timed_part(void) {
    read_counts(counts_before);
    return clock_seconds();
}

double end_timed_part(double begun) {
    const double seconds = clock_seconds() - begun;
    uint64_t now[counts_taken];
    read_counts(now);
    for (int i = 0; i < counts_taken; i++) {
        counts[i] += now[i] - counts_before[i];
    }
    return seconds;
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
        fail("cannot allocate %zu bytes of private memory", bytes);
    }
    return memory;
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
        refuse(application, option, "the value must be a number, 1 or greater");
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
            refuse(application, option, last ? "unknown option, or an option without its value" : "unknown option");
        }
    }
    if (its.sequential && its.run.verify) {
        refuse(application, "--verify", "compares a parallel run with a sequential one; leave out --sequential");
    }
    const char* const reason = application->refusal == NULL ? NULL : application->refusal(its.run.size);
    if (reason != NULL) {
        refuse(application, "--size", reason);
    }
    return its;
}

static void print_counts(const timing_t* timings, int processes) {
    printf(",\"statistics\":{");
    for (int i = 0; i < counts_taken; i++) {
        uint64_t sum = 0, greatest = 0;
        for (int process = 0; process < processes; process++) {
            const uint64_t count = timings[process].counts[i];
            sum += count;
            greatest = count > greatest ? count : greatest;
        }
        printf("%s\"%s\":{\"sum\":%" PRIu64 ",\"greatest\":%" PRIu64 "}", i == 0 ? "" : ",", count_names[i], sum,
               greatest);
    }
    printf("}");
}

// `timings` is NULL for a sequential program.
static void print_results(const application_t* application, const run_t* run, double seconds, const char* verified,
                          const timing_t* timings) {
    printf("{\"application\":\"%s\",\"size\":%ld,\"processes\":%d,\"seconds\":%.6f,\"verified\":%s", application->name,
           run->size, run->processes, seconds, verified);
    if (timings != NULL) {
        print_counts(timings, run->processes);
    }
    puts("}");
}

static int run_sequential(const application_t* application, const run_t* run) {
    void* result = NULL;
    const double seconds = application->sequential(run, &result);
    application->release(result, false);
    print_results(application, run, seconds, "null", NULL);
    return 0;
}

// Process 0 runs the sequential program in private memory, and compares the results.
static bool verify(const application_t* application, const run_t* run, const void* result) {
    const run_t alone = {.size = run->size, .iterations = run->iterations, .verify = true, .processes = 1};
    void* expected = NULL;
    (void)application->sequential(&alone, &expected);
    const bool equal = application->equal(run, result, expected);
    application->release(expected, false);
    fprintf(stderr, "%s: %s\n", application->name,
            equal ? "verified against the sequential run" : "the results differ from those of the sequential run");
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
    memcpy(timings[run->me].counts, counts, sizeof(counts));
    barrier();
    bool right = true;
    if (run->me == 0) {
        const double seconds = slowest(timings, run->processes);
        right = !run->verify || verify(application, run, result);
        print_results(application, run, seconds, !run->verify ? "null" : right ? "true" : "false", timings);
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
