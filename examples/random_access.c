// SPDX-License-Identifier: BSD-3-Clause
// RandomAccess, as the rules of the HPC Challenge benchmark have it: a table of 2^n words of 64 bits over all PEs, and
// four updates for each word, table[r mod 2^n] ^= r, by the numbers r of one stream that the PEs share out. No PE has
// more than 1024 updates under way. Doing all of them once more must give the initial table; at most 1 % of the words
// may differ.
//
// The updates are atomics without a result, so the library packs them, and none is lost: beyond the rules, the sum of
// the table after the first time must be that of all numbers.
//
//      oshrun -np 8 -N 4 random_access [-n log2 of the table's words] [-u updates]
#include <shmemx.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { look_ahead = 1024, prefetched = 12 };

// The stream: x^63 + x^2 + x + 1 over GF(2), one place further.
static uint64_t next_number(uint64_t number) {
    return number << 1 ^ (number >> 63 != 0 ? 7 : 0);
}

// The number at a place of the stream (HPCC_starts), whose first one is 1: squares and multiplies, as a step is linear.
static uint64_t number_at(uint64_t place) {
    uint64_t squared[64];  // x^(2 i)
    uint64_t number = 1;
    for (int i = 0; i < 64; i++) {
        squared[i] = number;
        number = next_number(next_number(number));
    }
    number = 1;
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t square = 0;
        for (int i = 0; i < 64; i++) {
            square ^= (number >> i & 1) != 0 ? squared[i] : 0;
        }
        number = (place >> bit & 1) != 0 ? next_number(square) : square;
    }
    return number;
}

typedef struct {
    uint64_t* words;  // this PE's
    uint64_t size;    // of all PEs
    uint64_t least;   // words of a PE; the first `longer` PEs have one more
    uint64_t longer;
    int shift;          // log2 of `least`, if all PEs have as many; else -1
    uint64_t** mapped;  // per PE: its words, where they are mapped here; else NULL
    uint64_t begin;     // of this PE's
    uint64_t count;
} table_t;

static table_t make_table(int log_size) {
    const uint64_t me = (uint64_t)shmem_my_pe();
    const uint64_t pes = (uint64_t)shmem_n_pes();
    table_t table = {.size = UINT64_C(1) << log_size};
    table.least = table.size / pes;
    table.longer = table.size % pes;
    table.shift = table.longer == 0 && table.least != 0 ? __builtin_ctzll(table.least) : -1;
    table.begin = me * table.least + (me < table.longer ? me : table.longer);
    table.count = table.least + (me < table.longer);
    table.words = shmem_malloc((table.least + 1) * sizeof(uint64_t));
    table.mapped = calloc(pes, sizeof(*table.mapped));
    for (uint64_t pe = 0; table.words != NULL && table.mapped != NULL && pe < pes; pe++) {
        table.mapped[pe] = shmem_ptr(table.words, (int)pe);
    }
    for (uint64_t i = 0; table.words != NULL && i < table.count; i++) {
        table.words[i] = table.begin + i;
    }
    return table;
}

typedef struct {
    int pe;
    uint64_t index;
} place_t;

static place_t place_of(const table_t* table, uint64_t number) {
    const uint64_t place = number & (table->size - 1);
    if (table->shift >= 0) {
        return (place_t){(int)(place >> table->shift), place & (table->least - 1)};
    }
    const uint64_t in_longer = table->longer * (table->least + 1);
    if (place < in_longer) {
        return (place_t){(int)(place / (table->least + 1)), place % (table->least + 1)};
    }
    return (place_t){(int)(table->longer + (place - in_longer) / table->least), (place - in_longer) % table->least};
}

// This PE's part of all updates, and the sum of its numbers. Returns the seconds that all PEs together took.
static double run(const table_t* table, uint64_t updates, uint64_t* sum) {
    const uint64_t me = (uint64_t)shmem_my_pe();
    const uint64_t pes = (uint64_t)shmem_n_pes();
    const uint64_t begin = updates / pes * me + (me < updates % pes ? me : updates % pes);
    const uint64_t end = begin + updates / pes + (me < updates % pes);
    uint64_t number = number_at(begin);
    shmem_barrier_all();
    const double start = shmemx_wtime();
    uint64_t numbers[look_ahead];
    for (uint64_t i = begin; i < end; i += look_ahead) {
        const uint64_t count = end - i < look_ahead ? end - i : look_ahead;
        for (uint64_t k = 0; k < count; k++) {
            number = next_number(number);
            *sum ^= number;
            numbers[k] = number;
        }
        for (uint64_t k = 0; k < count; k++) {
            // Where the memory of that PE is mapped, its cache line is on the way before the update.
            if (k + prefetched < count) {
                const place_t later = place_of(table, numbers[k + prefetched]);
                if (table->mapped[later.pe] != NULL) {
                    __builtin_prefetch(table->mapped[later.pe] + later.index, 1);
                }
            }
            const place_t place = place_of(table, numbers[k]);
            shmem_uint64_atomic_xor(&table->words[place.index], numbers[k], place.pe);
        }
        shmem_quiet();
    }
    shmem_barrier_all();
    return shmemx_wtime() - start;
}

static uint64_t parse(const char* text, uint64_t least, uint64_t most) {
    char* end = NULL;
    const uint64_t value = strtoull(text, &end, 10);
    if (*text == '\0' || *end != '\0' || value < least || value > most) {
        fprintf(stderr, "random_access: '%s' is not a number from %llu to %llu\n", text, (unsigned long long)least,
                (unsigned long long)most);
        shmem_global_exit(2);
    }
    return value;
}

int main(int argc, char** argv) {
    shmem_init();
    int log_size = 20;
    uint64_t updates = 0;
    for (int option = 0; (option = getopt(argc, argv, "n:u:")) != -1;) {
        if (option == 'n') {
            log_size = (int)parse(optarg, 1, 40);
        } else if (option == 'u') {
            updates = parse(optarg, 1, UINT64_C(1) << 60);
        } else {
            shmem_global_exit(2);
        }
    }
    const table_t table = make_table(log_size);
    if (table.words == NULL || table.mapped == NULL || table.least == 0) {
        fprintf(stderr, "random_access: a table of 2^%d words does not suit %d PEs\n", log_size, shmem_n_pes());
        shmem_global_exit(2);
    }
    updates = updates != 0 ? updates : 4 * table.size;

    // Zero in the end: the changes of all words add up to the sum of all numbers.
    static uint64_t sum, all_sums, errors, all_errors;
    const double seconds = run(&table, updates, &sum);
    for (uint64_t i = 0; i < table.count; i++) {
        sum ^= table.words[i] ^ (table.begin + i);
    }
    shmem_uint64_xor_reduce(SHMEM_TEAM_WORLD, &all_sums, &sum, 1);
    uint64_t ignored = 0;
    (void)run(&table, updates, &ignored);
    for (uint64_t i = 0; i < table.count; i++) {
        errors += table.words[i] != table.begin + i;
    }
    shmem_uint64_sum_reduce(SHMEM_TEAM_WORLD, &all_errors, &errors, 1);
    const int wrong = all_sums != 0 || all_errors > table.size / 100;
    if (shmem_my_pe() == 0) {
        printf("random_access: 2^%d words, %llu updates of %d PEs in %.3f s: %.6f GUP/s, %llu words wrong: %s\n",
               log_size, (unsigned long long)updates, shmem_n_pes(), seconds, (double)updates / seconds * 1e-9,
               (unsigned long long)all_errors, wrong == 0 ? "right" : "WRONG");
    }
    shmem_free(table.words);
    free(table.mapped);
    shmem_finalize();
    return wrong;
}
