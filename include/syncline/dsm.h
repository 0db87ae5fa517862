/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Syncline: distributed shared memory. Programs that were written for threads and shared memory run on many nodes.
 *
 * All processes of a job share one range of memory, at one address, that they read and write with plain loads and
 * stores. Each page (4096 bytes) has a home, whose copy the NIC serves; other processes keep copies of the pages that
 * they use, and bring each other up to date at locks, barriers, flags and conditions (home-based lazy release
 * consistency; Noronha and Panda, "Designing High Performance DSM Systems using InfiniBand", 2004). docs/DSM.md has the
 * model of memory in a user's words and says how to port a program.
 *
 * Guarantee.   A program without data races behaves as a sequentially consistent one. Two accesses of the same bytes
 *              by different processes, of which one writes, are a race unless a release of the first process, behind
 *              its access, and an acquire of the second one, in front of its own, order them. Releases: unlock,
 *              flag_set, cond_wait, barrier, alloc, free. Acquires: lock, flag_wait, return of cond_wait, barrier,
 *              alloc, free. Accesses of different bytes never disturb each other, whichever pages and words they
 *              share. A read that races returns bytes that were written at some time; atomic instructions on shared
 *              memory order nothing between processes.
 * Threads.     Any thread of a process may access shared memory and take locks; threads of one process synchronise
 *              among themselves by any means, as in any program. A release covers what all threads of the process
 *              have written before. A thread that waits for a lock keeps no other from running. Calls that are
 *              collective are made by one thread of each process.
 * Memory.      A process has its copies and the homes that it keeps: twice the shared size, and 5 %, at most; with
 *              handlers in a job of many processes more (docs/DSM.md).
 * System calls. The kernel does not wait for a page. A call that hands shared memory to the kernel fails with EFAULT
 *              where the page is not here: use syncline_dsm_prefetch() in front of it, or link libsyncline_dsm, whose
 *              read(), write(), fread() and the like do that. Likewise the own buffers of calls of syncline.h and
 *              OpenSHMEM: bring them first.
 * Signals.     A handler of the program for signals that come at any time must not access shared memory. The library
 *              handles SIGSEGV and SIGBUS. A fault outside shared memory goes to the handler that the program has
 *              installed, before syncline_dsm_init() or later, or is the ordinary crash. The two signals are never
 *              blocked: calls that block signals leave them out. Threads may have stacks of any size.
 * Failure.     Shared memory is lost when a process is: the job ends, with one sentence, within the peer timeout; at
 *              once where a process ends by itself, in whichever way, without syncline_dsm_finalize().
 * Fork.        A child that a process makes by fork() has no shared memory: calls return _NOT_INITIALIZED, an access is
 * a crash behind a sentence. Its end is its own. Status.      Calls return SYNCLINE_OK (0) or a negative status of
 * syncline.h; syncline_last_error() has the sentence.
 */
#ifndef SYNCLINE_DSM_H
#define SYNCLINE_DSM_H

#include "../syncline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Set-up ------------------------------------------------------------------------------------------------- */

/* Which protocol keeps the copies up to date. Also from the environment: SYNCLINE_DSM_PROTOCOL=nic|ardmar|async. */
enum syncline_dsm_protocol {
    /* No handler: pages by get, diffs by put, write notices in memory that others read, the library's queueing locks,
     * barriers of the NICs. A process that computes keeps no other waiting. */
    SYNCLINE_DSM_NIC = 0,
    /* The paper's ARDMAR (section 4.2): homes by compare&swap, pages and versions by get; locks, diffs and notices go
     * to a handler, a thread of each process. */
    SYNCLINE_DSM_ARDMAR = 1,
    /* The paper's ASYNC (section 4.1): everything goes to the handler. */
    SYNCLINE_DSM_ASYNC = 2,
};

/* Options of syncline_dsm_init(). Set `struct_size` to sizeof(syncline_dsm_options_t), everything unused to 0. */
typedef struct syncline_dsm_options {
    size_t struct_size;
    size_t bytes;   /* shared memory of the job; 0: SYNCLINE_DSM_SIZE of the environment (64M, 1G), or 128 MiB */
    int protocol;   /* enum syncline_dsm_protocol */
    uint32_t locks; /* lock numbers from 0 on, and as many conditions and flags; 0: 4096 */
} syncline_dsm_options_t;

/*
 * Collective: every process of the job calls it with the same options (NULL: none), after syncline_init() or
 * shmem_init(), or alone, and then it joins the job itself. Ends in a barrier. The environment is stronger than the
 * options. Errors: those of syncline_init(), _INVALID (called twice, options that differ or are out of range),
 * _NO_MEMORY, _BUSY (no number of a barrier is free), _UNSUPPORTED (pages of another size than 4096). After an error
 * the process has left the job again, if this call has joined it.
 */
SYNCLINE_API int syncline_dsm_init(const syncline_dsm_options_t* options);

/*
 * Collective, begins with a barrier. Shared memory is gone afterwards. Prints the statistics if SYNCLINE_DSM_STATISTICS
 * is 1 in the environment (all processes together) or 2 (each), and has process 0 write them as JSON, as sums and
 * extremes of all processes, to the file that SYNCLINE_DSM_STATISTICS_FILE names. Leaves the job if syncline_dsm_init()
 * has joined it.
 */
SYNCLINE_API int syncline_dsm_finalize(void);

SYNCLINE_API int syncline_dsm_process(void);   /* this process's number, or _NOT_INITIALIZED */
SYNCLINE_API int syncline_dsm_processes(void); /* how many there are, or _NOT_INITIALIZED */

/* Where shared memory is, in every process. Takes no lock, allocates nothing and leaves syncline_last_error() as it is,
 * so that handlers of signals may call it. */
SYNCLINE_API int syncline_dsm_range(void** base, size_t* bytes);

/* ---- Memory ------------------------------------------------------------------------------------------------- */

/* Where the pages of an allocation have their homes. A page that had a home in an earlier allocation keeps it. */
enum syncline_dsm_homes {
    SYNCLINE_DSM_FIRST_TOUCH = 0, /* at the process that accesses the page first */
    SYNCLINE_DSM_BLOCK = 1,       /* the first part at process 0, the next at process 1, and so on */
    SYNCLINE_DSM_CYCLIC = 2,      /* page by page */
    SYNCLINE_DSM_MINE = 3,        /* at the process that allocates; of a collective call: at process 0 */
};

/*
 * Allocates shared memory: collective, with the same arguments, which all processes get at the same address; and by one
 * process, which tells the others the address, through shared memory or by syncline_dsm_broadcast(). Zero-filled on
 * first use of the memory. From a page's size on, an allocation has pages of its own; smaller ones are aligned to 64
 * bytes. At most one allocation, or gap between two, for each 2 KiB of shared memory. A call takes as long behind many
 * allocations as behind none. NULL: no shared memory of that length is left;
 * syncline_last_error() names what is.
 */
SYNCLINE_API void* syncline_dsm_alloc(size_t bytes, int homes);
SYNCLINE_API void* syncline_dsm_alloc_one(size_t bytes, int homes);

/* Gives an allocation back, whichever call made it; NULL is nothing. Errors: _ADDRESS (not the start of one). */
SYNCLINE_API int syncline_dsm_free(void* memory); /* collective, begins with a barrier */
SYNCLINE_API int syncline_dsm_free_one(void* memory);

/* Collective: copies `bytes` of private memory from process `root` to all. Errors: _RANK, _INVALID. */
SYNCLINE_API int syncline_dsm_broadcast(int root, void* value, size_t bytes);

/*
 * Fetches the pages of [memory, memory + bytes) that are not here, all together, and with `write` makes them writable.
 * They stay so until the process's next acquire or release. Errors: _ADDRESS (not within shared memory).
 */
SYNCLINE_API int syncline_dsm_prefetch(const void* memory, size_t bytes, int write);

/* ---- Synchronisation ---------------------------------------------------------------------------------------- */

/* Waits until every process has called it. A release and an acquire. Collective. */
SYNCLINE_API int syncline_dsm_barrier(void);

/*
 * Locks have numbers, and are free at first. First come, first served between processes, and between threads of one.
 * Locks do not nest in themselves. Errors: _INVALID (no such lock; unlock: this process has not got it), _BUSY (try: it
 * is taken).
 */
SYNCLINE_API int syncline_dsm_lock(uint32_t lock);
SYNCLINE_API int syncline_dsm_try_lock(uint32_t lock);
SYNCLINE_API int syncline_dsm_unlock(uint32_t lock);

/* Numbers for `count` locks, conditions or flags that no other call gives out: from the top of their range downwards.
 * Not collective. Errors: _NO_MEMORY. */
SYNCLINE_API int syncline_dsm_take_numbers(uint32_t count, uint32_t* first);

/*
 * Condition variables, by number. cond_wait: gives the lock back, waits for a signal, takes the lock again; it may
 * return without one, so test the condition again. A signal wakes one process that waits, if any; a broadcast all. The
 * caller has the lock. Errors: _INVALID.
 */
SYNCLINE_API int syncline_dsm_cond_wait(uint32_t condition, uint32_t lock);
SYNCLINE_API int syncline_dsm_cond_signal(uint32_t condition);
SYNCLINE_API int syncline_dsm_cond_broadcast(uint32_t condition);

/*
 * Flags, by number: 64-bit words, 0 at first. flag_set stores a value, as a release; flag_wait waits until the value is
 * at least `value`, as an acquire, and leaves it in *seen unless that is NULL. Errors: _INVALID.
 */
SYNCLINE_API int syncline_dsm_flag_set(uint32_t flag, uint64_t value);
SYNCLINE_API int syncline_dsm_flag_wait(uint32_t flag, uint64_t value, uint64_t* seen);

/* ---- Statistics --------------------------------------------------------------------------------------------- */

/* Counts of this process, since syncline_dsm_init() or the last reset. Times in nanoseconds of all its threads
 * together. */
typedef struct syncline_dsm_statistics {
    size_t struct_size;        /* set by the caller */
    uint64_t read_faults;      /* a page that was not here was read */
    uint64_t write_faults;     /* a page was written for the first time since the last release */
    uint64_t fetches;          /* gets or requests for pages */
    uint64_t pages_fetched;    /* by these */
    uint64_t pages_prefetched; /* of these, none had been asked for by a fault */
    uint64_t twins;            /* made */
    uint64_t diffs;            /* pages whose changes went to another home */
    uint64_t diff_bytes;       /* of these */
    uint64_t home_updates;     /* pages whose changes stayed here */
    uint64_t notices_sent;     /* write notices that this process has published */
    uint64_t notices_received; /* and those of others that it has taken in */
    uint64_t invalidations;    /* pages whose copy was given up */
    uint64_t homes_assigned;   /* pages that this process became the home of by touching them */
    uint64_t lock_acquires;
    uint64_t barriers;
    uint64_t messages_handled; /* by this process's handler */
    uint64_t fault_ns;         /* in the handling of faults, fetches included */
    uint64_t fetch_ns;         /* waiting for pages: the paper's page time (section 4.1) */
    uint64_t flush_ns;         /* making and sending diffs */
    uint64_t lock_ns;          /* in lock and unlock */
    uint64_t barrier_ns;       /* in barriers */
    uint64_t handler_ns;       /* the handler at work: the paper's figure 12 */
} syncline_dsm_statistics_t;

/* Copies the counts of this process; sets them to 0. Neither is collective. Errors: _INVALID (struct_size is not set).
 */
SYNCLINE_API int syncline_dsm_get_statistics(syncline_dsm_statistics_t* statistics);
SYNCLINE_API int syncline_dsm_reset_statistics(void);

#ifdef __cplusplus
}
#endif

#endif
