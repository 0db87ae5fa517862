// SPDX-License-Identifier: BSD-3-Clause
// A pool of tasks whose lengths differ. Each process takes the number of its next task from a counter at process 0
// (ARMCI_Rmw), so the quick ones do more of them, and no process hands tasks out. A result goes to the process that
// keeps its part of the results, and into a histogram at process 0, where the numbers of all add up (ARMCI_Acc).
//
//      syncline run -n 8 -N 4 armci_task_pool [tasks]
#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>

enum { bins = 16, numbers = 400 };

// The longest Collatz sequence from one of some numbers to 1: nothing tells beforehand how long it takes.
static long run(long task) {
    long longest = 0;
    for (unsigned long start = (unsigned long)task * numbers + 1; start <= (unsigned long)(task + 1) * numbers;
         start++) {
        long steps = 0;
        for (unsigned long at = start; at != 1; steps++) {
            at = at % 2 == 0 ? at / 2 : 3 * at + 1;
        }
        longest = steps > longest ? steps : longest;
    }
    return longest;
}

// Memory of `longs` numbers at each process, cleared.
static long** allocate(int processes, long longs) {
    void** const addresses = malloc((size_t)processes * sizeof(void*));
    if (addresses == NULL || ARMCI_Malloc(addresses, longs * (long)sizeof(long)) != 0) {
        ARMCI_Error("armci_task_pool: there is no memory", 1);
    }
    long* const own = addresses[armci_msg_me()];
    for (long i = 0; i < longs; i++) {
        own[i] = 0;
    }
    ARMCI_Barrier();
    return (long**)addresses;
}

static long count_wrong(long** results, const long* histogram, long tasks, int processes) {
    long expected[bins] = {0};
    long wrong = 0;
    for (long task = 0; task < tasks; task++) {
        const long steps = run(task);
        const int keeper = (int)(task % processes);
        wrong += ARMCI_GetValueLong(&results[keeper][task / processes], keeper) != steps;
        expected[steps % bins]++;
    }
    for (int bin = 0; bin < bins; bin++) {
        wrong += histogram[bin] != expected[bin];
    }
    return wrong;
}

int main(int argc, char** argv) {
    ARMCI_Init_args(&argc, &argv);
    const int me = armci_msg_me(), processes = armci_msg_nproc();
    const long tasks = argc > 1 ? strtol(argv[1], NULL, 10) : 500;
    if (tasks < 1) {
        ARMCI_Error("armci_task_pool: there is a task", 2);
    }
    long** const counter = allocate(processes, 1);
    long** const histogram = allocate(processes, bins);
    long** const results = allocate(processes, tasks / processes + 1);

    long mine[bins] = {0}, one = 1, task = 0, done = 0;
    for (;;) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &task, counter[0], 1, 0);
        if (task >= tasks) {
            break;
        }
        const long steps = run(task);
        const int keeper = (int)(task % processes);
        ARMCI_PutValueLong(steps, &results[keeper][task / processes], keeper);
        mine[steps % bins]++;
        done++;
    }
    ARMCI_Acc(ARMCI_ACC_LNG, &one, mine, histogram[0], sizeof(mine), 0);
    ARMCI_Barrier();

    long wrong = me == 0 ? count_wrong(results, histogram[0], tasks, processes) : 0;
    long most = done, least = done;
    armci_msg_lgop(&most, 1, "max");
    armci_msg_lgop(&least, 1, "min");
    armci_msg_lgop(&wrong, 1, "+");
    if (me == 0) {
        printf("armci_task_pool: %ld tasks, %ld to %ld by each of %d processes: %s\n", tasks, least, most, processes,
               wrong == 0 ? "right" : "WRONG");
    }
    ARMCI_Free(results[me]);
    ARMCI_Free(histogram[me]);
    ARMCI_Free(counter[me]);
    free(results);
    free(histogram);
    free(counter);
    ARMCI_Finalize();
    return wrong != 0;
}
