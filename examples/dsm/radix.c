// SPDX-License-Identifier: BSD-3-Clause
// Radix sort as in SPLASH-2 (Woo et al., 1995; after Blelloch et al., 1991). The program begins with the least
// significant digit, and makes one pass for each digit, from one array to another.
//
// Sharing.         Each process has a block of both arrays. A pass has three steps. First a process counts the digits
//                  of its block in private memory. Then a tree of processes adds the counts up, and tells each process
//                  how many keys of each digit come before its own. Last the process writes its keys to their places,
//                  which are all over the other array. The keys of one digit lie side by side there, in the order of
//                  the processes, so several processes write to most pages.
// Synchronisation. Each pass has two flags for each process but the first, one on the way up the tree and one on the
//                  way down, and one barrier.
// Homes.           BLOCK: a process is the home of its block, whose keys it reads and counts. The tables of counts are
//                  FIRST_TOUCH; two processes use each of them.
// Parameters.      Radix 1024 and keys below 524,288, as in SPLASH-2, which makes two passes. Each iteration sorts new
//                  keys; the time to make these is not counted.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum {
    digit_bits = 10,
    radix = 1 << digit_bits,
    key_bits = 19,
    passes = (key_bits + digit_bits - 1) / digit_bits,
    page_keys = page_bytes / sizeof(uint32_t),
    levels = 31,  // of the tree of processes, at most
    seed = 271828
};

typedef uint32_t counts_t[radix];

static uint32_t digit_of(uint32_t key, int pass) {
    return key >> (pass * digit_bits) & (radix - 1);
}

static void make_keys(uint32_t* keys, long begin, long end, int iteration) {
    for (long i = begin; i < end; i++) {
        keys[i] = (uint32_t)(random_bits(seed + (uint64_t)iteration, (uint64_t)i) >> (64 - key_bits));
    }
}

static void count_digits(uint32_t* counts, const uint32_t* keys, long begin, long end, int pass) {
    memset(counts, 0, sizeof(counts_t));
    for (long i = begin; i < end; i++) {
        counts[digit_of(keys[i], pass)]++;
    }
}

// Computes the place of this process's first key of each digit: behind all keys of smaller digits, and behind the
// `before` keys of that digit that belong to the processes in front.
static void place_digits(uint32_t* places, const uint32_t* before, const uint32_t* all) {
    uint32_t smaller = 0;
    for (int digit = 0; digit < radix; digit++) {
        const uint32_t count = all[digit];
        places[digit] = smaller + before[digit];
        smaller += count;
    }
}

static void permute(uint32_t* to, const uint32_t* from, long begin, long end, uint32_t* places, int pass) {
    for (long i = begin; i < end; i++) {
        to[places[digit_of(from[i], pass)]++] = from[i];
    }
}

static double sort_sequentially(const run_t* run, void** result) {
    uint32_t* keys[2];
    counts_t counts, places;
    const counts_t before = {0};
    double seconds = 0;
    for (int i = 0; i < 2; i++) {
        keys[i] = private_memory((size_t)run->size * sizeof(uint32_t));
    }
    for (int iteration = 0; iteration < run->iterations; iteration++) {
        make_keys(keys[0], 0, run->size, iteration);
        const double start = clock_seconds();
        for (int pass = 0; pass < passes; pass++) {
            count_digits(counts, keys[pass % 2], 0, run->size, pass);
            place_digits(places, before, counts);
            permute(keys[(pass + 1) % 2], keys[pass % 2], 0, run->size, places, pass);
        }
        seconds += clock_seconds() - start;
    }
    free(keys[(passes + 1) % 2]);
    *result = keys[passes % 2];
    return seconds;
}

// The tree of processes. The children of process p are the processes p + 1, p + 2, p + 4 and so on, as long as the
// distance is less than the lowest bit of p. So the descendants of p are the processes that directly follow it.
typedef struct {
    counts_t below;  // the sum over this process and its descendants, for its parent
} upward_t;

typedef struct {
    counts_t before;  // the sum over the processes in front of this one, from its parent
    counts_t all;     // the sum over all processes
} downward_t;

typedef struct {
    upward_t* up;      // one for each process
    downward_t* down;  // one for each process
    counts_t* sums;    // private: the sum that this process had on arrival at each level
    counts_t before, all, places;
} scan_t;

static bool has_child(const run_t* run, int level) {
    const int distance = 1 << level;
    return (run->me & distance) == 0 && run->me + distance < run->processes;
}

// Returns the level at which this process reports to its parent (process 0: the height of the tree). A process may have
// a child at each lower level.
static int top_level(const run_t* run) {
    int level = 0;
    while (level < levels - 1 && (run->me >> level & 1) == 0 && 1L << level < run->processes) {
        level++;
    }
    return level;
}

static void add(uint32_t* sum, const uint32_t* one, const uint32_t* other) {
    for (int digit = 0; digit < radix; digit++) {
        sum[digit] = one[digit] + other[digit];
    }
}

// Computes `before` and `all` from the counts that each process has in sums[0]. All processes call it; `turn` is the
// number of the call, from 1 on.
static void scan(const run_t* run, scan_t* its, uint64_t turn) {
    const uint32_t me = (uint32_t)run->me, processes = (uint32_t)run->processes;
    const int top = top_level(run);
    for (int level = 0; level < top; level++) {
        if (has_child(run, level)) {
            const uint32_t child = me + (1u << level);
            flag_wait(child, turn);
            add(its->sums[level + 1], its->sums[level], its->up[child].below);
        } else {
            memcpy(its->sums[level + 1], its->sums[level], sizeof(counts_t));
        }
    }
    if (me == 0) {
        memset(its->before, 0, sizeof(counts_t));
        memcpy(its->all, its->sums[top], sizeof(counts_t));
    } else {
        memcpy(its->up[me].below, its->sums[top], sizeof(counts_t));
        flag_set(me, turn);
        flag_wait(processes + me, turn);
        memcpy(its->before, its->down[me].before, sizeof(counts_t));
        memcpy(its->all, its->down[me].all, sizeof(counts_t));
    }
    for (int level = top - 1; level >= 0; level--) {
        if (has_child(run, level)) {
            const uint32_t child = me + (1u << level);
            add(its->down[child].before, its->before, its->sums[level]);
            memcpy(its->down[child].all, its->all, sizeof(counts_t));
            flag_set(processes + child, turn);
        }
    }
}

// Returns the first key of a process's block. Blocks consist of whole pages.
static long block_begin(const run_t* run, int process) {
    const long pages = (run->size + page_keys - 1) / page_keys;
    const long begin = part_begin(pages, run->processes, process) * page_keys;
    return begin < run->size ? begin : run->size;
}

static double sort_in_parallel(const run_t* run, void** result) {
    const long begin = block_begin(run, run->me), end = block_begin(run, run->me + 1);
    uint32_t* keys[2];
    scan_t* const its = private_memory(sizeof(*its));
    double seconds = 0;
    for (int i = 0; i < 2; i++) {
        keys[i] = shared_memory((size_t)run->size * sizeof(uint32_t), SYNCLINE_DSM_BLOCK);
    }
    its->up = shared_memory((size_t)run->processes * sizeof(upward_t), SYNCLINE_DSM_FIRST_TOUCH);
    its->down = shared_memory((size_t)run->processes * sizeof(downward_t), SYNCLINE_DSM_FIRST_TOUCH);
    its->sums = private_memory(levels * sizeof(counts_t));
    for (int iteration = 0; iteration < run->iterations; iteration++) {
        make_keys(keys[0], begin, end, iteration);
        barrier();
        const double start = begin_timed_part();
        for (int pass = 0; pass < passes; pass++) {
            count_digits(its->sums[0], keys[pass % 2], begin, end, pass);
            scan(run, its, (uint64_t)iteration * passes + (uint64_t)pass + 1);
            place_digits(its->places, its->before, its->all);
            permute(keys[(pass + 1) % 2], keys[pass % 2], begin, end, its->places, pass);
            barrier();
        }
        seconds += end_timed_part(start);
    }
    free(its->sums);
    free(its);
    *result = keys[passes % 2];
    return seconds;
}

static bool same_order(const run_t* run, const void* parallel, const void* sequential) {
    const uint32_t *keys = parallel, *expected = sequential;
    for (long i = 0; i < run->size; i++) {
        if (keys[i] != expected[i] || (i > 0 && keys[i] < keys[i - 1])) {
            fprintf(stderr, "radix: key %u is at place %ld, not %u\n", keys[i], i, expected[i]);
            return false;
        }
    }
    return true;
}

static size_t shared_bytes(const run_t* run) {
    return 2 * (size_t)run->size * sizeof(uint32_t) + (size_t)run->processes * (sizeof(upward_t) + sizeof(downward_t));
}

static void release(void* result, bool shared) {
    if (!shared) {
        free(result);
    }
}

int main(int argc, char** argv) {
    const application_t sort = {.name = "radix",
                                .large = 2621440,
                                .small = 524288,
                                .iterations = 10,
                                .shared_bytes = shared_bytes,
                                .sequential = sort_sequentially,
                                .parallel = sort_in_parallel,
                                .equal = same_order,
                                .release = release};
    return run_application(&sort, argc, argv);
}
