/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Syncline: distributed shared memory. Programs that were written for threads and shared memory run on many nodes.
 *
 * All processes of a job share one range of memory, at one address, that they read and write with plain loads and
 * stores. Each page (4096 bytes) has a home, whose copy the NIC serves; other processes keep copies of the pages that
 * they use, and bring each other up to date at locks, barriers, flags and conditions (home-based lazy release
 * consistency; Noronha and Panda, "Designing High Performance DSM Systems using InfiniBand", 2004). docs/DSM.md
 * explains the memory model to users and says how to port a program.
 *
 * Guarantee.   A program without data races behaves as a sequentially consistent program. Two accesses of the same
 *              bytes by different processes, of which one writes, are a race unless a release of the first process,
 *              behind its access, and an acquire of the second process, in front of its access, order them. Releases:
 *              unlock, flag_set, cond_wait, barrier, alloc, free. Acquires: lock, flag_wait, return of cond_wait,
 *              barrier, alloc, free. Accesses of different bytes never disturb each other, even if the bytes share a
 *              page or word. A read that races returns bytes that were written at some time; atomic instructions on
 *              shared memory order nothing between processes.
 * Threads.     Any thread of a process may access shared memory and take locks; threads of one process synchronise
 *              among themselves by any means, as in any program. A release covers all earlier writes of all threads of
 *              the process. A thread that waits for a lock does not stop other threads. One thread of each process
 *              makes collective calls.
 * Memory.      A process holds its copies and the pages whose home it is: at most twice the shared size and 5 %. With
 *              handlers, in a job of many processes, it holds more (docs/DSM.md).
 * Kernel.      The kernel does not wait for a page. A system call that hands shared memory to the kernel fails with
 *              EFAULT if the page is not here. Call syncline_dsm_prefetch() first, or link libsyncline_dsm, whose
 *              read(), write(), fread() and the like do that. Prefetch the local buffers of calls of syncline.h and
 *              OpenSHMEM, too.
 * Signals.     A program's handler for signals that may come at any time must not access shared memory. The library
 *              handles SIGSEGV and SIGBUS. A fault outside shared memory goes to the handler that the program has
 *              installed, before syncline_dsm_init() or later, or is the ordinary crash. The two signals are never
 *              blocked: calls that block signals leave them out. Threads may have stacks of any size.
 * Failure.     When a process is lost, shared memory is lost with it: the job ends, with one error message, within the
 *              peer timeout, and at once if a process ends by itself, in any way, without syncline_dsm_finalize().
 * Fork.        A child that a process makes by fork() has no shared memory: calls return _NOT_INITIALIZED, and an
 *              access crashes the child after an error message. The end of the child does not end the job.
 * Status.      Calls return SYNCLINE_OK (0) or a negative status of syncline.h; syncline_last_error() has the error
 *              message.
 */
#ifndef SYNCLINE_DSM_H
#define SYNCLINE_DSM_H

#include "../syncline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Set-up ------------------------------------------------------------------------------------------------- */

/*
 * The protocol that keeps the copies up to date. SYNCLINE_DSM_PROTOCOL=nic|ardmar|async in the environment sets it,
 * too.
 */
enum syncline_dsm_protocol {
    /*
     * No handler: processes fetch pages by get, send diffs by put, read each other's write notices in memory, and use
     * the library's queueing locks and the NICs' barriers. A process that computes keeps no other process waiting.
     */
    SYNCLINE_DSM_NIC = 0,
    /*
     * ARDMAR of Noronha 2004 (section 4.2): homes by compare&swap, pages and versions by get. Locks, diffs and notices
     * go to a handler, a thread of each process.
     */
    SYNCLINE_DSM_ARDMAR = 1,
    /* ASYNC of Noronha 2004 (section 4.1): everything goes to the handler. */
    SYNCLINE_DSM_ASYNC = 2,
};

/* Options of syncline_dsm_init(). Set `struct_size` to sizeof(syncline_dsm_options_t) and every unused member to 0. */
typedef struct syncline_dsm_options {
    size_t struct_size;
    size_t bytes;   /* shared memory of the job; 0: SYNCLINE_DSM_SIZE of the environment (64M, 1G), or 128 MiB */
    int protocol;   /* enum syncline_dsm_protocol */
    uint32_t locks; /* number of locks, of conditions and of flags, each numbered from 0; 0: 4096 */
} syncline_dsm_options_t;

/*
 * Collective, ends in a barrier: every process of the job calls it with the same options (NULL: none). If the process
 * has not called syncline_init() or shmem_init() before, this call joins the job itself. Settings in the environment
 * override the options. Errors: those of syncline_init(), _INVALID (called twice, options that differ or are out of
 * range), _NO_MEMORY, _BUSY (no number of a barrier is free), _UNSUPPORTED (the page size is not 4096). After an error
 * the process has left the job again, if this call had joined it.
 */
SYNCLINE_API int syncline_dsm_init(const syncline_dsm_options_t* options);

/*
 * Collective, begins with a barrier. Shared memory is gone afterwards. Prints the statistics if SYNCLINE_DSM_STATISTICS
 * is 1 in the environment (all processes together) or 2 (also each process), and has process 0 write them as JSON, as
 * sums and extremes over all processes, to the file that SYNCLINE_DSM_STATISTICS_FILE names. Leaves the job if
 * syncline_dsm_init() has joined it.
 */
SYNCLINE_API int syncline_dsm_finalize(void);

SYNCLINE_API int syncline_dsm_process(void);   /* this process's number, or _NOT_INITIALIZED */
SYNCLINE_API int syncline_dsm_processes(void); /* number of processes, or _NOT_INITIALIZED */

/*
 * Stores where shared memory is, which is the same in every process. Takes no lock, allocates nothing and leaves
 * syncline_last_error() as it is, so that signal handlers may call it.
 */
SYNCLINE_API int syncline_dsm_range(void** base, size_t* bytes);

/* ---- Memory ------------------------------------------------------------------------------------------------- */

/* Where the pages of an allocation have their homes. A page that had a home in an earlier allocation keeps it. */
enum syncline_dsm_homes {
    SYNCLINE_DSM_FIRST_TOUCH = 0, /* at the process that accesses the page first */
    SYNCLINE_DSM_BLOCK = 1,       /* the first part at process 0, the next at process 1, and so on */
    SYNCLINE_DSM_CYCLIC = 2,      /* page by page */
    SYNCLINE_DSM_MINE = 3,        /* at the process that allocates; for a collective call: at process 0 */
};

/*
 * Allocate shared memory. syncline_dsm_alloc() is collective, with the same arguments, and all processes get the same
 * address. syncline_dsm_alloc_one() is called by one process, which tells the others the address, through shared memory
 * or by syncline_dsm_broadcast(). The memory is zero-filled on first use. An allocation of at least a page has pages of
 * its own; smaller allocations are aligned to 64 bytes. There may be at most one allocation, or gap between two, for
 * each 2 KiB of shared memory. The time of a call does not grow with the number of allocations. Returns NULL if no
 * shared memory of that length is left, if there are too many allocations, if `bytes` is 0, or if `homes` is no value
 * of the enum; syncline_last_error() says which.
 */
SYNCLINE_API void* syncline_dsm_alloc(size_t bytes, int homes);
SYNCLINE_API void* syncline_dsm_alloc_one(size_t bytes, int homes);

/* Give an allocation back, whichever call made it; with NULL do nothing. Errors: _ADDRESS (not the start of one). */
SYNCLINE_API int syncline_dsm_free(void* memory); /* collective, begins with a barrier */
SYNCLINE_API int syncline_dsm_free_one(void* memory);

/* Copies `bytes` of private memory from process `root` to all processes. Collective. Errors: _RANK, _INVALID. */
SYNCLINE_API int syncline_dsm_broadcast(int root, void* value, size_t bytes);

/*
 * Fetches the pages of [memory, memory + bytes) that are not here, all together, and with `write` makes them writable.
 * The pages stay here until the process's next acquire or release. Errors: _ADDRESS (not within shared memory).
 */
SYNCLINE_API int syncline_dsm_prefetch(const void* memory, size_t bytes, int write);

/* ---- Synchronisation ---------------------------------------------------------------------------------------- */

/* Waits until every process has called it. It is a release and an acquire. Collective. */
SYNCLINE_API int syncline_dsm_barrier(void);

/*
 * Locks have numbers, and are free at first. They are granted first come, first served, between processes and between
 * threads of one process. A holder cannot take its lock again. Errors: _INVALID (no such lock; for unlock: this process
 * does not have it), _BUSY (for try_lock: the lock is taken).
 */
SYNCLINE_API int syncline_dsm_lock(uint32_t lock);
SYNCLINE_API int syncline_dsm_try_lock(uint32_t lock);
SYNCLINE_API int syncline_dsm_unlock(uint32_t lock);

/*
 * Takes `count` numbers for locks, conditions or flags that no other call gives out, from the top of their range
 * downwards. Not collective. Errors: _NO_MEMORY.
 */
SYNCLINE_API int syncline_dsm_take_numbers(uint32_t count, uint32_t* first);

/*
 * Condition variables, by number. The caller has the lock. cond_wait gives the lock back, waits for a signal, and takes
 * the lock again; it may return without a signal, so test the condition again. A signal wakes one waiting process, if
 * there is one; a broadcast wakes all. Errors: _INVALID.
 */
SYNCLINE_API int syncline_dsm_cond_wait(uint32_t condition, uint32_t lock);
SYNCLINE_API int syncline_dsm_cond_signal(uint32_t condition);
SYNCLINE_API int syncline_dsm_cond_broadcast(uint32_t condition);

/*
 * Flags, by number: 64-bit words, 0 at first. flag_set stores a value, as a release. flag_wait waits until the flag is
 * at least `value`, as an acquire, and stores the flag's value in *seen unless `seen` is NULL. Errors: _INVALID.
 */
SYNCLINE_API int syncline_dsm_flag_set(uint32_t flag, uint64_t value);
SYNCLINE_API int syncline_dsm_flag_wait(uint32_t flag, uint64_t value, uint64_t* seen);

/* ---- Statistics --------------------------------------------------------------------------------------------- */

/*
 * Counts of this process, since syncline_dsm_init() or the last reset. Times are in nanoseconds, of all its threads
 * together.
 */
typedef struct syncline_dsm_statistics {
    size_t struct_size;        /* set by the caller */
    uint64_t read_faults;      /* reads of a page that was not here */
    uint64_t write_faults;     /* first writes of a page since the last release */
    uint64_t fetches;          /* gets or requests for pages */
    uint64_t pages_fetched;    /* pages that these fetches brought */
    uint64_t pages_prefetched; /* of these, pages that no fault had asked for */
    uint64_t twins;            /* twins made */
    uint64_t diffs;            /* pages whose changes went to another home */
    uint64_t diff_bytes;       /* bytes of these changes */
    uint64_t home_updates;     /* pages whose changes stayed here */
    uint64_t notices_sent;     /* write notices that this process has published */
    uint64_t notices_received; /* write notices of other processes that this process has received */
    uint64_t invalidations;    /* pages whose copy was dropped */
    uint64_t homes_assigned;   /* pages that this process became the home of by touching them */
    uint64_t lock_acquires;
    uint64_t barriers;
    uint64_t messages_handled; /* messages that this process's handler has served */
    uint64_t fault_ns;         /* time in the handling of faults, fetches included */
    uint64_t fetch_ns;         /* time waiting for pages: the page time of Noronha 2004 (section 4.1) */
    uint64_t flush_ns;         /* time making and sending diffs */
    uint64_t lock_ns;          /* time in lock and unlock */
    uint64_t barrier_ns;       /* time in barriers */
    uint64_t handler_ns;       /* time the handler works: figure 12 of Noronha 2004 */
} syncline_dsm_statistics_t;

/*
 * Copy this process's counts, and set them to 0. Neither call is collective. Errors: _INVALID (struct_size is not set).
 */
SYNCLINE_API int syncline_dsm_get_statistics(syncline_dsm_statistics_t* statistics);
SYNCLINE_API int syncline_dsm_reset_statistics(void);

#ifdef __cplusplus
}
#endif

#endif
