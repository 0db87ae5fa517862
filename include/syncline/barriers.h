/* SPDX-License-Identifier: BSD-3-Clause */
/* Barriers that the NICs run, reductions, and the fence with a barrier. Programs include syncline.h. */
#ifndef SYNCLINE_BARRIERS_H
#define SYNCLINE_BARRIERS_H

#include "syncline/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Barriers that the NIC runs ----------------------------------------------------------------------------- */

/*
 * A barrier over any PEs of the job. Once all of a node's members have started it, the nodes' NICs finish it among
 * themselves while the PEs compute (a fuzzy barrier; Buntinas, Panda, Sadayappan, "Fast NIC-Based Barrier over
 * Myrinet/GM", 2001). A barrier can carry a value. A PE that waits, or the node's daemon, asks for lost messages.
 *
 * A barrier does not complete operations: if the PEs are to see earlier writes behind it, call syncline_quiet() first,
 * or syncline_fence_barrier().
 * One thread at a time uses a handle. A member that dies, or leaves the job, breaks the barrier: every member's running
 * or next call returns SYNCLINE_ERR_PEER, within a second or, if the whole node is gone, within the peer timeout.
 */
typedef struct syncline_barrier_handle* syncline_barrier_t;

enum syncline_barrier_algorithm {
    SYNCLINE_BARRIER_AUTO = 0,     /* the latency model of Buntinas 2001, section 2.2, fitted at first use, chooses */
    SYNCLINE_BARRIER_EXCHANGE = 1, /* pairwise; dissemination if the number of nodes is not a power of two */
    SYNCLINE_BARRIER_TREE = 2,     /* gather-broadcast */
    /*
     * The PEs signal each other, and no NIC takes part but to deliver the signals: dissemination or, with a value,
     * recursive doubling, in the logarithm of the number of PEs. Opening waits for all members. AUTO takes this where
     * no NIC can run the barrier.
     */
    SYNCLINE_BARRIER_SIGNALS = 3,
};

enum {
    SYNCLINE_BARRIERS_MAX = 64, /* number of barriers of a node, whose ids are 0 to 63 */
    SYNCLINE_TREE_MAX = 64,     /* the largest dimension of a tree */

    SYNCLINE_BARRIER_BY_HOST = 1, /* flag: the PEs run the barrier and the NIC only receives (the papers' baseline) */
};

/* Options of syncline_barrier_open(). Set `struct_size` to sizeof(syncline_barrier_options_t), unused members to 0. */
typedef struct syncline_barrier_options {
    size_t struct_size;
    int algorithm; /* enum syncline_barrier_algorithm */
    /*
     * For a tree, 1 to SYNCLINE_TREE_MAX; 0: the latency model chooses. Any other value turns AUTO into TREE. EXCHANGE
     * ignores the dimension.
     */
    uint32_t dimension;
    uint32_t flags; /* 0 or SYNCLINE_BARRIER_BY_HOST */
} syncline_barrier_options_t;

/*
 * Opens barrier number `id` for the `count` PEs in `ranks` (NULL: all PEs), which must all be different. Every member
 * makes the call with the same arguments; members that open several barriers open them in the same order. The call
 * returns when this PE may start the barrier. Two barriers that have a node in common need different numbers. `options`
 * may be NULL.
 * Errors: _INVALID, _RANK, _BUSY (the number is in use on this node), _UNSUPPORTED (the tree is too wide), _PEER,
 * _PROTOCOL (the first member's announcement is not a schedule).
 */
SYNCLINE_API int syncline_barrier_open(int id, const int* ranks, int count, const syncline_barrier_options_t* options,
                                       syncline_barrier_t* barrier);

/* Announces that this PE has come, and returns at once. One round at a time: wait for it before the next start. */
SYNCLINE_API int syncline_barrier_start(syncline_barrier_t barrier);

/* Sets *done to 1 if all members have come, or if no round has been started, else to 0. */
SYNCLINE_API int syncline_barrier_test(syncline_barrier_t barrier, int* done);

/* Waits until all members have come. */
SYNCLINE_API int syncline_barrier_wait(syncline_barrier_t barrier);

/* How syncline_fence_barrier() learns that earlier operations are complete. */
enum syncline_fence_algorithm {
    SYNCLINE_FENCE_AUTO = 0,         /* ACKNOWLEDGED: every request is answered, so it never has more to wait for */
    SYNCLINE_FENCE_ACKNOWLEDGED = 1, /* waits for the replies that are missing: not at all if none is */
    /*
     * The PEs tell each other, by binary exchange, how many operations each has sent to each. Each PE then waits until
     * its node has executed all operations that were sent there (Buntinas 2003, section 3.1.2). The barrier must have
     * all PEs of the job as members, at most 2048; the job's window (SYNCLINE_WINDOW) must be 2 or more; and no other
     * thread of a PE may start operations meanwhile.
     */
    SYNCLINE_FENCE_COUNTS = 2,
    /* Asks each node that was written to, in turn: the baseline of Buntinas 2003, section 3.1.1. */
    SYNCLINE_FENCE_LINEAR = 3,
};

/*
 * Quiet and one round of the barrier in one: when it returns, all members have come, and every operation that a member
 * had started before is complete (ARMCI_Barrier, GA_Sync; Buntinas, Saify, Panda, Nieplocha, 2003). Every member gives
 * the same algorithm, and no round of the barrier may be running. Returns the first error among this PE's posted
 * operations; with COUNTS the next quiet returns that error. Errors besides: _INVALID, _UNSUPPORTED (COUNTS, against
 * the rules above), _PEER, _NODE.
 */
SYNCLINE_API int syncline_fence_barrier(syncline_barrier_t barrier, int algorithm);

/*
 * Closes the barrier. The call returns when all members have made it; the barrier's number is free on this node once
 * all members of the node have made it. A broken barrier is closed without waiting.
 */
SYNCLINE_API int syncline_barrier_close(syncline_barrier_t barrier);

/* How a barrier combines values: 64-bit integers, doubles or floats. */
enum syncline_combine {
    SYNCLINE_SUM = 1, /* modulo 2^64 */
    SYNCLINE_MIN = 2, /* signed */
    SYNCLINE_MAX = 3,
    SYNCLINE_BITAND = 4,
    SYNCLINE_BITOR = 5,
    SYNCLINE_BITXOR = 6,
    SYNCLINE_SUM_DOUBLE = 7, /* added in any order, but all members get the same bits */
    SYNCLINE_MIN_DOUBLE = 8, /* no value may be NaN; -0 is less than 0 */
    SYNCLINE_MAX_DOUBLE = 9,
    SYNCLINE_SUM_FLOAT = 10, /* as SUM_DOUBLE; value and result have 4 bytes */
    SYNCLINE_MIN_FLOAT = 11,
    SYNCLINE_MAX_FLOAT = 12,
};

/*
 * As syncline_barrier_start(), with a value of 8 bytes, or of 4 if it is a float. Every member combines in the same way
 * in a round. The result is available once the round is over, until this PE starts the round after the next. Errors
 * besides: _UNSUPPORTED (sums and xor over pairwise exchange among a number of nodes that is not a power of two, which
 * would count values twice).
 */
SYNCLINE_API int syncline_reduce_start(syncline_barrier_t barrier, int how, const void* value);
SYNCLINE_API int syncline_reduce_result(syncline_barrier_t barrier, void* result);

/* Start, wait and result in one. */
SYNCLINE_API int syncline_reduce(syncline_barrier_t barrier, int how, const void* value, void* result);

/* Copies `value` of the member PE `root` to all members, where it overwrites theirs. */
SYNCLINE_API int syncline_broadcast64(syncline_barrier_t barrier, int root, uint64_t* value);

#ifdef __cplusplus
}
#endif

#endif
