// SPDX-License-Identifier: BSD-3-Clause
// The distributed task queue of task_queue.c in OpenSHMEM. The algorithm, its termination and its overflow are
// described there; comments here are on the places where OpenSHMEM has rules of its own. Two differ. A word that PEs
// update by atomics may be accessed by OpenSHMEM's atomics only, so a PE uses them on its own words, too. And stores to
// a PE's own symmetric memory are put in order by shmem_fence(), where the other program uses C's memory orders.
//
//      oshrun -np 8 -N 4 task_queue_shmem [seed of the tree] [places of a stack]
#include <sched.h>
#include <shmem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unbalanced_tree.h"

enum { offer_max = 256 };  // tasks

typedef struct {
    result_t executed;
    uint64_t stolen;  // of the tasks
    uint64_t steals;
    uint64_t without_place;  // tasks that were executed at once, for want of a place
} counts_t;

// Other PEs reach these.
static uint64_t offer;             // tasks << 32 | claims; 0: no offer
static uint64_t copied;            // tasks that thieves have copied, of all offers
static uint64_t existing;          // at PE 0: tasks that some PE has yet to execute
static task_t offered[offer_max];  // the tasks of the offer
static counts_t counts;

static task_t* stack;
static size_t stacked, places;
static uint64_t claimed;  // tasks that thieves have claimed, of this PE's offers that have ended
static int64_t tally;     // tasks made less tasks executed, since the last report

typedef struct {
    uint32_t begin, end;
} range_t;

// The tasks that the next claim gets: half of those that are left, rounded up.
static range_t next_claim(uint64_t word) {
    const uint32_t tasks = (uint32_t)(word >> 32);
    range_t range = {0, (tasks + 1) / 2};
    for (uint32_t claims = (uint32_t)word; claims > 0 && range.begin < tasks; claims--) {
        range.begin = range.end;
        range.end += (tasks - range.end + 1) / 2;
    }
    return range;
}

static uint32_t unclaimed(uint64_t word) {
    return (uint32_t)(word >> 32) - next_claim(word).begin;
}

static void report(void) {
    if (tally != 0) {
        // With a result, for such an atomic is complete when it returns: a later offer cannot overtake it.
        (void)shmem_uint64_atomic_fetch_add(&existing, (uint64_t)tally, 0);
    }
    tally = 0;
}

// Ends the offer, and takes back the tasks that no thief has claimed.
static void withdraw(void) {
    const uint64_t old = shmem_uint64_atomic_swap(&offer, 0, shmem_my_pe());
    const uint32_t left = unclaimed(old);
    const uint32_t begin = next_claim(old).begin;
    memcpy(&stack[stacked], &offered[begin], left * sizeof(task_t));
    stacked += left;
    claimed += begin;
}

// Offers the older half of the stack: nodes near the root, with most work below them.
static void offer_half(void) {
    const int me = shmem_my_pe();
    if (stacked < 2 || unclaimed(shmem_uint64_atomic_fetch(&offer, me)) > 0) {
        return;
    }
    withdraw();
    if (!shmem_uint64_test(&copied, SHMEM_CMP_EQ, claimed)) {
        return;  // a thief still copies
    }
    const size_t tasks = stacked / 2 < offer_max ? stacked / 2 : offer_max;
    memcpy(offered, stack, tasks * sizeof(task_t));
    stacked -= tasks;
    memmove(stack, &stack[tasks], stacked * sizeof(task_t));
    report();
    shmem_fence();  // the tasks are there before the offer is
    shmem_uint64_atomic_set(&offer, (uint64_t)tasks << 32, me);
}

static bool steal(int victim) {
    if (unclaimed(shmem_uint64_atomic_fetch(&offer, victim)) == 0) {
        return false;
    }
    const range_t range = next_claim(shmem_uint64_atomic_fetch_inc(&offer, victim));
    const uint32_t tasks = range.end - range.begin;
    if (tasks == 0) {
        return false;
    }
    shmem_getmem(stack, &offered[range.begin], tasks * sizeof(task_t), victim);
    // The get has brought the tasks when it returns, so this add, which has no result to wait for, comes after it.
    shmem_uint64_atomic_add(&copied, tasks, victim);
    stacked = tasks;
    counts.stolen += tasks;
    counts.steals++;
    return true;
}

// Returns false when no task is left at any PE.
static bool find_task(void) {
    static uint64_t attempt;
    const int me = shmem_my_pe();
    report();
    while (shmem_uint64_atomic_fetch(&existing, 0) != 0) {
        const int victim = (int)(mix(((uint64_t)me << 40) + ++attempt) % (uint64_t)shmem_n_pes());
        if (victim != me && steal(victim)) {
            return true;
        }
        sched_yield();  // PEs may share a core
    }
    return false;
}

static void execute(task_t task);

static void add(task_t task) {
    tally++;
    if (stacked == places) {
        offer_half();
    }
    if (stacked < places) {
        stack[stacked++] = task;
    } else {
        counts.without_place++;
        execute(task);
    }
}

static void execute(task_t task) {
    counts.executed.tasks++;
    counts.executed.sum += value_of(task);
    for (int child = 0; child < children_of(task); child++) {
        add(child_of(task, child));
    }
    tally--;
}

static void work(void) {
    do {
        while (stacked > 0) {
            execute(stack[--stacked]);
            offer_half();
            if (stacked == 0) {
                withdraw();
            }
        }
    } while (find_task());
}

// At PE 0.
static int print_counts(uint64_t seed) {
    counts_t all = {{0, 0}, 0, 0, 0};
    for (int pe = 0; pe < shmem_n_pes(); pe++) {
        counts_t its;
        shmem_getmem(&its, &counts, sizeof(its), pe);
        printf("task_queue_shmem: PE %d executed %llu tasks and stole %llu in %llu steals\n", pe,
               (unsigned long long)its.executed.tasks, (unsigned long long)its.stolen, (unsigned long long)its.steals);
        all.executed.tasks += its.executed.tasks;
        all.executed.sum += its.executed.sum;
        all.stolen += its.stolen;
        all.without_place += its.without_place;
    }
    result_t expected = {0, 0};
    run_alone(root_of(seed), &expected);
    const bool right = all.executed.tasks == expected.tasks && all.executed.sum == expected.sum;
    printf("task_queue_shmem: %llu tasks of %d PEs, %llu stolen, %llu without a place: %s\n",
           (unsigned long long)all.executed.tasks, shmem_n_pes(), (unsigned long long)all.stolen,
           (unsigned long long)all.without_place, right ? "right" : "WRONG");
    return right ? 0 : 1;
}

int main(int argc, char** argv) {
    shmem_init();
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 46;
    places = argc > 2 ? strtoul(argv[2], NULL, 10) : 1024;
    stack = calloc(places, sizeof(task_t));
    if (places < 1 || stack == NULL) {
        fprintf(stderr, "task_queue_shmem: the stack must have at least one place, and fit into memory\n");
        shmem_global_exit(2);
    }
    if (shmem_my_pe() == 0) {
        stack[stacked++] = root_of(seed);
        existing = 1;
    }
    shmem_barrier_all();  // no PE looks at the count before it is 1
    work();
    shmem_barrier_all();  // no PE reads counts before they are there
    const int result = shmem_my_pe() == 0 ? print_counts(seed) : 0;
    shmem_barrier_all();  // no PE's counts go before they are read
    free(stack);
    shmem_finalize();
    return result;
}
