/* SPDX-License-Identifier: BSD-3-Clause */
/* Locks, readers-writer locks and semaphores. Programs include syncline.h. */
#ifndef SYNCLINE_LOCKS_H
#define SYNCLINE_LOCKS_H

#include "syncline/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Locks -------------------------------------------------------------------------------------------------- */

/*
 * Locks between the PEs of a job. A lock's words lie in the symmetric heap; its home is the PE whose memory holds the
 * word that all PEs share. No process at the home takes part, except the hybrid lock's server: the other kinds use puts
 * and atomics.
 *
 * Ordering.   A release begins as syncline_quiet() does, so every operation that this PE has started, on any thread, is
 *             complete at its target before the next holder's acquire returns. The next holder's operations come after
 *             that.
 * Threads.    A lock belongs to the PE, not to a thread: any thread may release a lock that another thread has
 *             acquired. While a PE has a lock or waits for it, another acquire of it by this PE returns _INVALID.
 * Waiting.    A PE waits in its wait mode: it polls, or sleeps until its own word is written. Kinds that have to poll
 *             elsewhere (ticket; hybrid at the home's node) poll with pauses in both modes.
 * Death.      A holder, waiter or home that dies breaks the lock for good, unless the other PEs can pass the lock on
 *             without it; then no call notices. A lock is never granted twice. Once the death can be seen (at once for
 *             a process; after the peer timeout for a node that falls silent), every PE that waits or comes later gets
 *             _BROKEN within 0.5 s (each inspection follows 0.1 s after the one before, and costs a few gets). A break
 *             undoes nothing that the last holder did. A broken lock stays broken, and the job cannot create another
 *             lock, because job barriers fail after a death, too. A PE whose daemon dies gets _NODE within 0.1 s the
 *             first time, and at once afterwards.
 * Errors.     _INVALID (NULL, or the rules above), _BROKEN, _NODE, _NOT_INITIALIZED; _TIMEOUT and _BUSY as said below.
 *             A release returns the error of an operation of the critical section as syncline_quiet() would; after any
 *             status but _INVALID this PE does not have the lock any more.
 */
enum syncline_lock_kind {
    /*
     * Queueing lock (Buntinas 2002, section IV; Buntinas 2003, section 3.2). First come, first served. A PE waits on
     * its own memory only; handing over is one put. Requests: uncontended, acquire 1 and release 1; queued, acquire 2
     * and release 1.
     */
    SYNCLINE_LOCK_MCS = 0,
    /*
     * The queueing lock with a release that needs no compare&swap (Buntinas 2003, section 5: future work). Requests:
     * acquire 1 if this PE was the last to have it, else 2; release 0 if no PE waits, else 1. The death of its last
     * holder breaks it even when it is free.
     */
    SYNCLINE_LOCK_LOCAL_RELEASE = 1,
    /* Ticket lock, polled at the home: a baseline. First come, first served, except for try and timed acquires. */
    SYNCLINE_LOCK_TICKET = 2,
    /*
     * ARMCI's original lock (Buntinas 2003, section 3.2.1), with a server thread at the home: a baseline. As fair as
     * the ticket lock.
     */
    SYNCLINE_LOCK_HYBRID = 3,
};

typedef struct syncline_lock syncline_lock_t;
typedef struct syncline_rwlock syncline_rwlock_t;
typedef struct syncline_semaphore syncline_semaphore_t;

/*
 * Creates a lock whose home is PE `home`. Collective, with the same arguments, ends in a barrier. Errors: _INVALID (no
 * such kind), _RANK (no such home), _NO_MEMORY, _PEER. A lock that is not destroyed ends with syncline_finalize().
 */
SYNCLINE_API int syncline_lock_create(int kind, int home, syncline_lock_t** lock);
/* Collective, begins with a barrier; no PE may have the lock. Errors: _INVALID (this PE has it), _PEER. */
SYNCLINE_API int syncline_lock_destroy(syncline_lock_t* lock);

/*
 * Create and destroy `count` locks at once, each with its own home, at the cost of one allocation and two barriers for
 * all. Locks that were created together are destroyed together. Errors besides: _INVALID (NULL, a negative count, locks
 * of several sets).
 */
SYNCLINE_API int syncline_locks_create(int kind, const int* homes, int count, syncline_lock_t** locks);
SYNCLINE_API int syncline_locks_destroy(syncline_lock_t* const* locks, int count);

/* Waits until this PE has the lock. */
SYNCLINE_API int syncline_lock_acquire(syncline_lock_t* lock);
/* Acquires the lock without waiting for other PEs: _BUSY if a PE has it. */
SYNCLINE_API int syncline_lock_try_acquire(syncline_lock_t* lock);
/*
 * As syncline_lock_acquire(), but gives up with _TIMEOUT after `timeout_us` (< 0: never). In the queueing locks this
 * PE's place stays in the queue until its turn, and is passed over then; if this PE acquires again before that, it has
 * its old place.
 */
SYNCLINE_API int syncline_lock_acquire_timed(syncline_lock_t* lock, int64_t timeout_us);
/* Releases the lock, to the next PE if one waits. */
SYNCLINE_API int syncline_lock_release(syncline_lock_t* lock);

/* Counts of this PE's calls on a lock, and of what they cost. */
typedef struct syncline_lock_counts {
    uint64_t acquired;
    /*
     * Acquisitions that had to wait because the lock was taken. For SYNCLINE_LOCK_HYBRID, a PE that is not on the
     * home's node counts each request that it sends to the home's server, because the server's answer does not say
     * whether the lock was taken.
     */
    uint64_t waited;
    uint64_t requests;    /* puts, gets and atomics on words of other PEs */
    uint64_t inspections; /* checks whether the PEs ahead in the queue are alive */
} syncline_lock_counts_t;

/* Copies the counts of this PE for `lock`, since the lock was created. */
SYNCLINE_API int syncline_lock_get_counts(const syncline_lock_t* lock, syncline_lock_counts_t* counts);

/*
 * Readers-writer lock: any number of readers, or one writer. A writer whose turn has come stops the readers that come
 * after it; the readers it has stopped queue with the writers, first come, first served, so neither starve. A PE has
 * the lock once, as a reader or as a writer, and does not upgrade. Requests, uncontended: reader 1 and 1, writer 2 and
 * 2.
 */
SYNCLINE_API int syncline_rwlock_create(int home, syncline_rwlock_t** lock);
SYNCLINE_API int syncline_rwlock_destroy(syncline_rwlock_t* lock);
SYNCLINE_API int syncline_rwlock_read_acquire(syncline_rwlock_t* lock);
SYNCLINE_API int syncline_rwlock_read_try_acquire(syncline_rwlock_t* lock); /* _BUSY: a writer has it or waits */
SYNCLINE_API int syncline_rwlock_read_acquire_timed(syncline_rwlock_t* lock, int64_t timeout_us);
SYNCLINE_API int syncline_rwlock_write_acquire(syncline_rwlock_t* lock);
SYNCLINE_API int syncline_rwlock_write_try_acquire(syncline_rwlock_t* lock); /* _BUSY: a PE has it or waits */
SYNCLINE_API int syncline_rwlock_write_acquire_timed(syncline_rwlock_t* lock, int64_t timeout_us);
SYNCLINE_API int syncline_rwlock_release(syncline_rwlock_t* lock); /* as reader or writer, whichever this PE is */

/*
 * Counting semaphore that starts with `units` (at most 2^31 - 1). A PE may take several units, and give back units that
 * another PE has taken; giving back more than there were is not an error. acquire() is first come, first served;
 * try_acquire() takes a unit that no PE has claimed, ahead of the PEs that queue. Each PE has one acquire() under way
 * at a time. A dead PE's units are lost: once any PE of the job is gone, a PE that waits 0.1 s for a unit gets _BROKEN.
 */
SYNCLINE_API int syncline_semaphore_create(uint32_t units, int home, syncline_semaphore_t** semaphore);
SYNCLINE_API int syncline_semaphore_destroy(syncline_semaphore_t* semaphore);
SYNCLINE_API int syncline_semaphore_acquire(syncline_semaphore_t* semaphore);
SYNCLINE_API int syncline_semaphore_try_acquire(syncline_semaphore_t* semaphore); /* _BUSY: no unit is left */
SYNCLINE_API int syncline_semaphore_acquire_timed(syncline_semaphore_t* semaphore, int64_t timeout_us);
SYNCLINE_API int syncline_semaphore_release(syncline_semaphore_t* semaphore, uint32_t units);

#ifdef __cplusplus
}
#endif

#endif
