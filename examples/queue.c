// SPDX-License-Identifier: BSD-3-Clause
// A queue for all PEs: tickets from two counters at PE 0 say who writes and who reads which place; the places are
// spread over the PEs. The turn of a place counts its uses: even when it is free, odd when there is an item in it
// (Vyukov's bounded queue, between nodes). An item and its turn travel in one packet.
//
//      oshrun -np 8 -N 4 queue [items of each PE]
#include <sched.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>

enum { places = 16 };  // at each PE
typedef struct {
    uint64_t producer;
    uint64_t number;
} item_t;
static struct {
    uint64_t turn;
    item_t item;
} queue[places];
static uint64_t written, taken;  // tickets, at PE 0

typedef struct {
    int pe;
    size_t index;
    uint64_t turn;  // when it is free for this ticket
} place_t;

static place_t place_of(uint64_t ticket) {
    const uint64_t pes = (uint64_t)shmem_n_pes();
    const uint64_t row = ticket / pes;
    return (place_t){(int)(ticket % pes), (size_t)(row % places), row / places * 2};
}

static void await_turn(const place_t* place, uint64_t turn) {
    while (shmem_uint64_atomic_fetch(&queue[place->index].turn, place->pe) != turn) {
        sched_yield();
    }
}

static void enqueue(item_t item) {
    const place_t place = place_of(shmem_uint64_atomic_fetch_inc(&written, 0));
    await_turn(&place, place.turn);
    shmem_putmem_signal(&queue[place.index].item, &item, sizeof(item), &queue[place.index].turn, place.turn + 1,
                        SHMEM_SIGNAL_SET, place.pe);
}

static item_t dequeue(void) {
    item_t item;
    const place_t place = place_of(shmem_uint64_atomic_fetch_inc(&taken, 0));
    await_turn(&place, place.turn + 1);
    shmem_getmem(&item, &queue[place.index].item, sizeof(item), place.pe);
    shmem_uint64_atomic_set(&queue[place.index].turn, place.turn + 2, place.pe);
    return item;
}

int main(int argc, char** argv) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    const uint64_t items = argc > 1 ? strtoull(argv[1], NULL, 10) : 500;
    uint64_t* const seen = shmem_calloc(items + 1, sizeof(uint64_t));  // of this PE's items, by any PE
    uint64_t* const last = calloc((size_t)pes, sizeof(uint64_t));      // taken here, of each producer
    if (seen == NULL || last == NULL) {
        shmem_global_exit(1);
    }

    static long wrong, wrong_anywhere;
    for (uint64_t i = 1; i <= items; i++) {
        enqueue((item_t){(uint64_t)me, i});
        const item_t item = dequeue();
        if (item.producer >= (uint64_t)pes || item.number == 0 || item.number > items) {
            wrong++;
            continue;
        }
        // Items of a producer come in the order in which it has written them.
        wrong += item.number <= last[item.producer];
        last[item.producer] = item.number;
        shmem_uint64_atomic_inc(&seen[item.number], (int)item.producer);
    }
    shmem_barrier_all();
    for (uint64_t i = 1; i <= items; i++) {
        wrong += seen[i] != 1;
    }
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &wrong_anywhere, &wrong, 1);
    if (me == 0) {
        printf("queue: %llu items of %d PEs, each taken once and in order: %s\n",
               (unsigned long long)items * (unsigned long long)pes, pes, wrong_anywhere == 0 ? "right" : "WRONG");
    }
    free(last);
    shmem_free(seen);
    shmem_finalize();
    return wrong_anywhere != 0;
}
