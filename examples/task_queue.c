// SPDX-License-Identifier: BSD-3-Clause
// A distributed task queue with work stealing. A PE has its tasks on a stack of its own, and offers the older half of
// them to the other PEs in symmetric memory. A PE without tasks steals from a random victim: the NIC of the victim's
// node executes the steal, while the victim computes.
//
// Steals.      An offer is described by one word, tasks << 32 | claims. A thief adds 1 to the word, and the old value
//              tells which tasks it has claimed: half of those that earlier claims have left. A steal is one get that
//              looks, one fetch&add that claims, one get that copies the tasks, and one add that says so. No thief
//              waits for another, and none tries again (Cartier, Dinan and Larkins, "Optimizing Work Stealing
//              Communication with Structured Atomic Operations", 2021; a queue with a private and a shared part: Dinan
//              et al., "Scalable Work Stealing", 2009).
// Termination. PE 0 keeps a count of the tasks that exist. A PE tallies the tasks that it makes and executes. It adds
// the
//              tally to the count before it offers tasks, and when it has none left. Think of the count as the sum of
//              one part for each PE, and of a steal as moving the stolen tasks from the victim's part to the thief's. A
//              report makes the part of a PE equal to the number of its tasks. Thieves take only tasks that the report
//              before the offer has counted, and never all of them, so the part of a PE that has a task is at least 1.
//              The count is 0 when no PE has a task, then, and not before.
// Overflow.    A stack has a fixed number of places. A PE whose stack is full makes an offer. If its last offer still
// has
//              unclaimed tasks, it executes the new task at once, by a plain call.
//
//      syncline run -n 8 -N 4 task_queue [seed of the tree] [places of a stack]
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syncline.h>

#include "unbalanced_tree.h"

enum { offer_max = 256 };  // tasks

typedef struct {
    result_t executed;
    uint64_t stolen;  // of the tasks
    uint64_t steals;
    uint64_t without_place;  // tasks that were executed at once, for want of a place
} counts_t;

// The part of a PE that others reach: at the same address of every PE.
typedef struct {
    _Alignas(64) _Atomic uint64_t offer;   // tasks << 32 | claims; 0: no offer
    _Alignas(64) _Atomic uint64_t copied;  // tasks that thieves have copied, of all offers
    _Alignas(64) uint64_t existing;        // at PE 0: tasks that some PE has yet to execute
    counts_t counts;                       // when the PE is done
    task_t tasks[offer_max];               // of the offer
} queue_t;

static syncline_address_t queues;
#define ADDRESS_OF(member) (queues + offsetof(queue_t, member))
static queue_t* mine;

static task_t* stack;
static size_t stacked, places;
static uint64_t claimed;  // tasks that thieves have claimed, of this PE's offers that have ended
static int64_t tally;     // tasks made less tasks executed, since the last report
static counts_t counts;

static void must(int status) {
    if (status != SYNCLINE_OK) {
        fprintf(stderr, "task_queue: %s\n", syncline_last_error());
        syncline_abort(1);
    }
}

typedef struct {
    uint32_t begin, end;
} range_t;

// The tasks that the next claim gets: half of those that are left, rounded up.
static range_t next_claim(uint64_t offer) {
    const uint32_t tasks = (uint32_t)(offer >> 32);
    range_t range = {0, (tasks + 1) / 2};
    for (uint32_t claims = (uint32_t)offer; claims > 0 && range.begin < tasks; claims--) {
        range.begin = range.end;
        range.end += (tasks - range.end + 1) / 2;
    }
    return range;
}

static uint32_t unclaimed(uint64_t offer) {
    return (uint32_t)(offer >> 32) - next_claim(offer).begin;
}

// Adds the tally to the count of PE 0. The blocking fetch&add has been executed when it returns, so a later offer
// cannot overtake it.
static void report(void) {
    uint64_t before;
    if (tally != 0) {
        must(syncline_fetch_add64(0, ADDRESS_OF(existing), (uint64_t)tally, &before));
    }
    tally = 0;
}

// Ends the offer, and takes back the tasks that no thief has claimed.
static void withdraw(void) {
    // The exchange is atomic with the NIC's fetch&add: it sees a claim, or the claim finds no offer.
    const uint64_t offer = atomic_exchange_explicit(&mine->offer, 0, memory_order_acq_rel);
    const uint32_t left = unclaimed(offer);
    const uint32_t begin = next_claim(offer).begin;
    memcpy(&stack[stacked], &mine->tasks[begin], left * sizeof(task_t));
    stacked += left;
    claimed += begin;
}

// Offers the older half of the stack: nodes near the root, with most work below them.
static void offer_half(void) {
    // Relaxed: an old value only delays the next offer.
    if (stacked < 2 || unclaimed(atomic_load_explicit(&mine->offer, memory_order_relaxed)) > 0) {
        return;
    }
    withdraw();
    // Acquire: pairs with the add of the last thief to copy. The stores below come after that thief's get.
    if (atomic_load_explicit(&mine->copied, memory_order_acquire) != claimed) {
        return;
    }
    const size_t tasks = stacked / 2 < offer_max ? stacked / 2 : offer_max;
    memcpy(mine->tasks, stack, tasks * sizeof(task_t));
    stacked -= tasks;
    memmove(stack, &stack[tasks], stacked * sizeof(task_t));
    report();
    // Release: a thief that sees the offer sees its tasks.
    atomic_store_explicit(&mine->offer, (uint64_t)tasks << 32, memory_order_release);
}

static bool steal(int victim) {
    uint64_t offer;
    // A thief that sees nothing to claim leaves the word alone, so a PE adds at most one claim in excess to an offer,
    // and the claims of all PEs do not run over into the number of tasks.
    must(syncline_get(victim, ADDRESS_OF(offer), &offer, sizeof(offer)));
    if (unclaimed(offer) == 0) {
        return false;
    }
    // The old value counts, and not the one above: the victim may have made another offer meanwhile.
    must(syncline_fetch_add64(victim, ADDRESS_OF(offer), 1, &offer));
    const range_t range = next_claim(offer);
    const uint32_t tasks = range.end - range.begin;
    if (tasks == 0) {
        return false;
    }
    // The claim is complete, so the get comes after it; the tasks stay in place until the add says that they are
    // copied.
    must(syncline_get(victim, ADDRESS_OF(tasks) + range.begin * sizeof(task_t), stack, tasks * sizeof(task_t)));
    // The get is complete, so the add comes after it. It needs no answer: it is posted.
    must(syncline_add64(victim, ADDRESS_OF(copied), tasks));
    stacked = tasks;
    counts.stolen += tasks;
    counts.steals++;
    return true;
}

// Returns false when no task is left at any PE.
static bool find_task(void) {
    static uint64_t attempt;
    const int me = syncline_rank();
    report();
    for (;;) {
        const int victim = (int)(mix(((uint64_t)me << 40) + ++attempt) % (uint64_t)syncline_size());
        if (victim != me && steal(victim)) {
            return true;
        }
        uint64_t existing;
        must(syncline_get(0, ADDRESS_OF(existing), &existing, sizeof(existing)));
        if (existing == 0) {
            return false;
        }
        sched_yield();  // PEs may share a core
    }
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
    for (int pe = 0; pe < syncline_size(); pe++) {
        counts_t its;
        must(syncline_get(pe, ADDRESS_OF(counts), &its, sizeof(its)));
        printf("task_queue: PE %d executed %llu tasks and stole %llu in %llu steals\n", pe,
               (unsigned long long)its.executed.tasks, (unsigned long long)its.stolen, (unsigned long long)its.steals);
        all.executed.tasks += its.executed.tasks;
        all.executed.sum += its.executed.sum;
        all.stolen += its.stolen;
        all.without_place += its.without_place;
    }
    result_t expected = {0, 0};
    run_alone(root_of(seed), &expected);
    const bool right = all.executed.tasks == expected.tasks && all.executed.sum == expected.sum;
    printf("task_queue: %llu tasks of %d PEs, %llu stolen, %llu without a place: %s\n",
           (unsigned long long)all.executed.tasks, syncline_size(), (unsigned long long)all.stolen,
           (unsigned long long)all.without_place, right ? "right" : "WRONG");
    return right ? 0 : 1;
}

int main(int argc, char** argv) {
    must(syncline_init(NULL));
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 46;
    places = argc > 2 ? strtoul(argv[2], NULL, 10) : 1024;
    stack = calloc(places, sizeof(task_t));
    if (places < 1 || stack == NULL) {
        fprintf(stderr, "task_queue: the stack must have at least one place, and fit into memory\n");
        syncline_abort(2);
    }
    must(syncline_alloc(sizeof(queue_t), 0, &queues));
    mine = syncline_local(queues);
    if (syncline_rank() == 0) {
        stack[stacked++] = root_of(seed);
        mine->existing = 1;
    }
    must(syncline_barrier());  // no PE looks at the count before it is 1
    work();
    mine->counts = counts;
    must(syncline_barrier());  // no PE reads counts before they are there
    const int result = syncline_rank() == 0 ? print_counts(seed) : 0;
    must(syncline_finalize());
    free(stack);
    return result;
}
