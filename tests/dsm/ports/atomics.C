/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * atomics PROCESSES
 *
 * Method: as programs of SPLASH-4 do, for m4 -P: counters that all processes add to, a list that they push to and pop from by
 * CAS, and a flag that one waits for. No lock or barrier is between, so only the operations order anything.
 */
#include <string.h>

MAIN_ENV

#include "parmacs_checks.h"

int checks_made = 0;

struct node {
    int value;
    struct node *next;
};

struct global_memory {
    long id;
    unsigned sum;
    double reals;
    struct node *top;
    long popped;
    long expected;
    int data;
    long flag;
    int ended;
    int last;
} *global;
int processes;

enum { TURNS = 40 };

static void push(struct node *node) {
    do {
        node->next = LOAD(global->top);
    } while (!CAS(global->top, node->next, node));
}

static struct node *pop(void) {
    struct node *node = LOAD(global->top);
    while (node != NULL && !CAS(global->top, node, node->next)) {
    }
    return node;
}

void slave(void) {
    long me, i;
    me = FETCH_ADD(global->id, 1)
    for (i = 0; i < TURNS; i++) {
        struct node *node = (struct node *)G_MALLOC(sizeof(struct node));
        node->value = (int)(me * TURNS + i);
        FETCH_ADD(global->expected, node->value)
        push(node);
        FETCH_ADD(global->sum, 3);
        FETCH_SUB(global->sum, 1);
        FETCH_ADD_DOUBLE(&global->reals, 0.5);
        node = pop();
        if (node != NULL) {
            FETCH_ADD(global->popped, node->value);
        }
    }
    if (me == processes - 1) {
        global->data = 42;
        STORE(global->flag, 1);
    }
    while (LOAD(global->flag) == 0) {
    }
    CHECK(global->data == 42);
    FETCH_ADD(global->ended, 1);
}

int main(int argc, char **argv) {
    struct node *node;
    processes = atoi(argv[argc - 1]);
    MAIN_INITENV()
    global = (struct global_memory *)G_MALLOC(sizeof(struct global_memory));
    CREATE(slave, processes)
    WAIT_FOR_END(processes)
    while ((node = pop()) != NULL) {
        global->popped += node->value;
    }
    CHECK(LOAD(global->ended) == processes);
    CHECK(global->sum == (unsigned)(2 * TURNS * processes));
    CHECK(global->reals == 0.5 * TURNS * processes);
    CHECK(global->popped == global->expected);
    printf("%d processes: %u\n", processes, global->sum);
    MAIN_END
}
