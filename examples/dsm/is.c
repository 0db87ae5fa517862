// SPDX-License-Identifier: BSD-3-Clause
// Integer Sort of the NAS benchmarks, in the shared-memory form of TreadMarks' programs (Lu, Dwarkadas, Cox and
// Zwaenepoel, 1997). The program ranks keys, each of which is the mean of four random numbers. A key's rank is the
// number of smaller keys.
//
// Sharing.         Each process has a part of the keys in private memory, and counts them in private buckets. It then
//                  adds its counts to the shared buckets, which have a section for each process. A process starts with
//                  its own section and goes round, so processes seldom wait for each other. After a barrier it reads
//                  all shared buckets, and ranks its keys. The processes that write a page do so one after the other.
// Synchronisation. Each iteration has a lock for each section, and one barrier. There are three arrays of buckets: one
//                  is being filled, the slowest process may still be reading the one before, and each process clears
//                  its section of the one after.
// Homes.           BLOCK: a section consists of whole pages, whose home is the process that clears the section and adds
//                  to it first.
// Parameters.      2^15 values, as in TreadMarks' larger problem. As in the NAS program, each iteration changes two
//                  keys, and the first iteration is not timed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum {
    value_bits = 15,
    values = 1 << value_bits,
    arrays = 3,
    page_counts = page_bytes / sizeof(int32_t),
    seed = 314159
};

static int32_t first_key(long index) {
    const uint64_t bits = random_bits(seed, (uint64_t)index);
    const uint64_t sum = (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
    return (int32_t)(sum >> (18 - value_bits));
}

// An iteration changes two keys, of which a process changes those in its part, keys [begin, end).
static void change_keys(int32_t* keys, long begin, long end, int iteration) {
    const long low = 2 * (long)iteration, high = low + 1;
    if (low >= begin && low < end) {
        keys[low - begin] = iteration % values;
    }
    if (high >= begin && high < end) {
        keys[high - begin] = values - 1 - iteration % values;
    }
}

static void count_keys(int32_t* counts, const int32_t* keys, long count) {
    memset(counts, 0, values * sizeof(*counts));
    for (long i = 0; i < count; i++) {
        counts[keys[i]]++;
    }
}

// Computes the rank of the keys of each value from the number of keys of each value.
static void rank_values(int32_t* rank_of, const int32_t* counts) {
    int32_t smaller = 0;
    for (int value = 0; value < values; value++) {
        const int32_t count = counts[value];
        rank_of[value] = smaller;
        smaller += count;
    }
}

static void rank_keys(int32_t* ranks, const int32_t* rank_of, const int32_t* keys, long count) {
    for (long i = 0; i < count; i++) {
        ranks[i] = rank_of[keys[i]];
    }
}

static double rank_sequentially(const run_t* run, void** result) {
    int32_t* const keys = private_memory((size_t)run->size * sizeof(*keys));
    int32_t* const ranks = private_memory((size_t)run->size * sizeof(*ranks));
    int32_t* const counts = private_memory(values * sizeof(*counts));
    double start = 0;
    for (long i = 0; i < run->size; i++) {
        keys[i] = first_key(i);
    }
    for (int iteration = 0; iteration <= run->iterations; iteration++) {
        start = iteration == 1 ? clock_seconds() : start;
        change_keys(keys, 0, run->size, iteration);
        count_keys(counts, keys, run->size);
        rank_values(counts, counts);
        rank_keys(ranks, counts, keys, run->size);
    }
    const double seconds = clock_seconds() - start;
    free(counts);
    free(keys);
    *result = ranks;
    return seconds;
}

// Returns the first value of a section. Sections consist of whole pages.
static int section_begin(const run_t* run, int section) {
    return (int)part_begin(values / page_counts, run->processes, section) * page_counts;
}

static void add_to_shared(const run_t* run, int32_t* shared, const int32_t* counts) {
    for (int turn = 0; turn < run->processes; turn++) {
        const int section = (run->me + turn) % run->processes;
        const int end = section_begin(run, section + 1);
        lock((uint32_t)section);
        for (int value = section_begin(run, section); value < end; value++) {
            shared[value] += counts[value];
        }
        unlock((uint32_t)section);
    }
}

static void clear_section(const run_t* run, int32_t* shared) {
    const int begin = section_begin(run, run->me), end = section_begin(run, run->me + 1);
    memset(&shared[begin], 0, (size_t)(end - begin) * sizeof(*shared));
}

// Copies this process's ranks to shared memory, where process 0 can verify them.
static void share_ranks(const run_t* run, const int32_t* ranks, void** result) {
    if (run->verify) {
        int32_t* const all = shared_memory((size_t)run->size * sizeof(*all), SYNCLINE_DSM_BLOCK);
        const long begin = part_begin(run->size, run->processes, run->me);
        const long end = part_begin(run->size, run->processes, run->me + 1);
        memcpy(&all[begin], ranks, (size_t)(end - begin) * sizeof(*ranks));
        *result = all;
    }
}

static double rank_in_parallel(const run_t* run, void** result) {
    const long begin = part_begin(run->size, run->processes, run->me);
    const long count = part_begin(run->size, run->processes, run->me + 1) - begin;
    int32_t* const keys = private_memory((size_t)count * sizeof(*keys));
    int32_t* const ranks = private_memory((size_t)count * sizeof(*ranks));
    int32_t* const counts = private_memory(values * sizeof(*counts));
    int32_t* shared[arrays];
    double start = 0;
    for (int i = 0; i < arrays; i++) {
        shared[i] = shared_memory(values * sizeof(*shared[i]), SYNCLINE_DSM_BLOCK);
    }
    for (long i = 0; i < count; i++) {
        keys[i] = first_key(begin + i);
    }
    for (int iteration = 0; iteration <= run->iterations; iteration++) {
        if (iteration == 1) {
            barrier();
            start = begin_timed_part();
        }
        int32_t* const all = shared[iteration % arrays];
        change_keys(keys, begin, begin + count, iteration);
        count_keys(counts, keys, count);
        add_to_shared(run, all, counts);
        clear_section(run, shared[(iteration + 1) % arrays]);
        barrier();
        rank_values(counts, all);
        rank_keys(ranks, counts, keys, count);
    }
    const double seconds = end_timed_part(start);
    share_ranks(run, ranks, result);
    free(counts);
    free(ranks);
    free(keys);
    return seconds;
}

static bool same_ranks(const run_t* run, const void* parallel, const void* sequential) {
    const int32_t *ranks = parallel, *expected = sequential;
    for (long i = 0; i < run->size; i++) {
        if (ranks[i] != expected[i]) {
            fprintf(stderr, "is: key %ld has rank %d, not %d\n", i, ranks[i], expected[i]);
            return false;
        }
    }
    return true;
}

static size_t shared_bytes(const run_t* run) {
    return (arrays * values + (run->verify ? (size_t)run->size : 0)) * sizeof(int32_t);
}

static void release(void* result, bool shared) {
    if (!shared) {
        free(result);
    }
}

int main(int argc, char** argv) {
    const application_t is = {.name = "is",
                              .large = 1L << 23,
                              .small = 1L << 21,
                              .iterations = 80,
                              .shared_bytes = shared_bytes,
                              .sequential = rank_sequentially,
                              .parallel = rank_in_parallel,
                              .equal = same_ranks,
                              .release = release};
    return run_application(&is, argc, argv);
}
