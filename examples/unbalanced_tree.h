// SPDX-License-Identifier: BSD-3-Clause
// Irregular work for task_queue.c and task_queue_shmem.c: a tree whose shape a program learns by walking it only (after
// Olivier et al., "UTS: An Unbalanced Tree Search Benchmark", 2006). A task is a node of the tree, and makes a task of
// each child. The root has 64 children; a hash of the path to any other node gives it four, with a probability of
// 0.249, or none. Subtrees that have one expected size differ by factors of thousands: with seed 46 one child of the
// root has 144,005 of the 192,705 nodes below it.
#ifndef SYNCLINE_EXAMPLES_UNBALANCED_TREE_H
#define SYNCLINE_EXAMPLES_UNBALANCED_TREE_H

#include <stdint.h>

typedef struct {
    uint64_t hash;
    uint64_t depth;  // 0: the root
} task_t;

typedef struct {
    uint64_t tasks;
    uint64_t sum;  // of their values: a task that is lost or executed twice changes it
} result_t;

static inline uint64_t mix(uint64_t bits) {  // the finaliser of splitmix64
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
    return bits ^ (bits >> 31);
}

static inline task_t root_of(uint64_t seed) {
    return (task_t){seed, 0};
}

static inline int children_of(task_t task) {
    if (task.depth == 0) {
        return 64;
    }
    return (task.hash >> 32) % 1000 < 249 ? 4 : 0;
}

static inline task_t child_of(task_t task, int index) {
    return (task_t){mix(task.hash + (uint64_t)(index + 1) * 0x9e3779b97f4a7c15u), task.depth + 1};
}

// Computes for about a microsecond.
static inline uint64_t value_of(task_t task) {
    uint64_t value = task.hash;
    for (int round = 0; round < 400; round++) {
        value = mix(value);
    }
    return value;
}

// Adds the subtree of `task` to the result, on one process.
static inline void run_alone(task_t task, result_t* result) {
    result->tasks++;
    result->sum += value_of(task);
    for (int child = 0; child < children_of(task); child++) {
        run_alone(child_of(task, child), result);
    }
}

#endif
