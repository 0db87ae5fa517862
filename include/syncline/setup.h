/* SPDX-License-Identifier: BSD-3-Clause */
/* A process joins a job, learns its place, and leaves; error messages. Programs include syncline.h. */
#ifndef SYNCLINE_SETUP_H
#define SYNCLINE_SETUP_H

#include "syncline/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Set-up ------------------------------------------------------------------------------------------------- */

/* How a thread waits. SYNCLINE_WAIT=poll|block in the environment sets it, too. */
enum syncline_wait_mode {
    SYNCLINE_WAIT_POLL = 0,  /* spin, then yield the CPU between looks: lowest latency */
    SYNCLINE_WAIT_BLOCK = 1, /* spin briefly, then sleep until the firmware wakes the thread */
};

/* Options of syncline_init(). Set `struct_size` to sizeof(syncline_options_t) and every unused member to 0. */
typedef struct syncline_options {
    size_t struct_size;
    int wait_mode;            /* enum syncline_wait_mode */
    uint32_t peer_timeout_ms; /* 0: the job's timeout, 5 s unless the launcher sets another */
    /*
     * The processes that make up the job, in the order of their ranks, as numbers that a PMIx launcher has given them:
     * for example those of an MPI communicator. NULL: all processes. Each process in the list calls with the same list;
     * the others do not call, or make jobs of their own.
     */
    const int* members;
    int member_count;
} syncline_options_t;

/*
 * Joins the job that the launcher (`syncline run`) has described in the environment, and returns when all other PEs can
 * access this PE's memory. The call is not collective: a faster PE may already write into this PE's heap. `options` may
 * be NULL. Outside a job, the process becomes a job of one PE, with shm only. Processes of a PMIx or PMI-2 launcher
 * call it together: a process that ends first, or does not come in time, ends them all, with an error message.
 * Errors: _INVALID (called twice, bad option), _RANK (no such member), _UNSUPPORTED (members are given, but the
 * launcher has no PMIx), _NODE (no daemon), _PROTOCOL, _NO_MEMORY, _SYSTEM.
 */
SYNCLINE_API int syncline_init(const syncline_options_t* options);

/*
 * Completes this PE's operations, enters a barrier with the other PEs, and gives all resources back. Afterwards the
 * heap's addresses are invalid. Returns _PEER or _NODE if a PE or the daemon is gone; the PE is finalized all the same.
 * Returns _BUSY, and does nothing, while OpenSHMEM is initialized in the process.
 */
SYNCLINE_API int syncline_finalize(void);

/* Ends the whole job: every PE is terminated, and the launcher exits with `code` (1 to 255). Does not return. */
SYNCLINE_API void syncline_abort(int code) __attribute__((noreturn));

SYNCLINE_API int syncline_rank(void);              /* this PE's number, or _NOT_INITIALIZED */
SYNCLINE_API int syncline_size(void);              /* number of PEs of the job, or _NOT_INITIALIZED */
SYNCLINE_API int syncline_nodes(void);             /* number of nodes of the job, or _NOT_INITIALIZED */
SYNCLINE_API int syncline_node_of(int rank);       /* index of the node of PE `rank`, or _RANK */
SYNCLINE_API const char* syncline_transport(void); /* the transport between nodes: "shm", "udp" or "xdp" */

SYNCLINE_API const char* syncline_error_string(int status);
SYNCLINE_API const char* syncline_last_error(void); /* valid until this thread's next failing call */

#ifdef __cplusplus
}
#endif

#endif
