// SPDX-License-Identifier: BSD-3-Clause
// Counts random values in bins that are spread over all PEs, bin b at PE b mod n. The increments have no result, so
// many of them travel in a packet, and no process of the target takes part.
//
//      oshrun -np 8 -N 4 histogram [values for each PE]
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { bins = 1000 };

static uint64_t next_random(uint64_t* state) {  // xorshift64
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

// The bin of the sum of two dice of bins / 2 sides: a triangle.
static size_t draw_bin(uint64_t* state) {
    const uint64_t first = next_random(state) % (bins / 2);
    return (size_t)(first + next_random(state) % (bins / 2));
}

static uint64_t seed_of(int pe) {
    return 0x9e3779b97f4a7c15u * (uint64_t)(pe + 1);
}

static int compare(const uint64_t* histogram, int pes, long values) {
    const size_t size = (size_t)pes;
    uint64_t* const expected = calloc(bins, sizeof(uint64_t));
    int wrong = expected == NULL;
    for (int pe = 0; expected != NULL && pe < pes; pe++) {
        uint64_t state = seed_of(pe);
        for (long i = 0; i < values; i++) {
            expected[draw_bin(&state)]++;
        }
    }
    for (size_t bin = 0; expected != NULL && bin < bins; bin++) {
        wrong += shmem_uint64_g(&histogram[bin / size], (int)(bin % size)) != expected[bin];
    }
    free(expected);
    return wrong;
}

int main(int argc, char** argv) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    const long values = argc > 1 ? strtol(argv[1], NULL, 10) : 20000;
    uint64_t* const histogram = shmem_calloc(bins / (size_t)pes + 1, sizeof(uint64_t));
    if (histogram == NULL) {
        shmem_global_exit(1);
    }

    uint64_t state = seed_of(me);
    for (long i = 0; i < values; i++) {
        const size_t bin = draw_bin(&state);
        shmem_uint64_atomic_inc(&histogram[bin / (size_t)pes], (int)(bin % (size_t)pes));
    }
    shmem_barrier_all();

    int wrong = 0;
    if (me == 0) {
        wrong = compare(histogram, pes, values);
        printf("histogram: %ld values of %d PEs in %d bins: %s\n", values * pes, pes, bins,
               wrong == 0 ? "right" : "WRONG");
    }
    shmem_free(histogram);
    shmem_finalize();
    return wrong != 0;
}
