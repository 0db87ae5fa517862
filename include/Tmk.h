/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TreadMarks' interface (Keleher, Cox, Dwarkadas, Zwaenepoel: "TreadMarks: Distributed Shared Memory on Standard
 * Workstations and Operating Systems", 1994) on Syncline's distributed shared memory. docs/DSM.md says how to
 * build and run programs.
 *
 * Processes.   All processes run main(). Their number is the job's, which `syncline run` sets.
 * Memory.      Lazy release consistency: barriers, locks and conditions order accesses, as syncline/dsm.h says.
 * Errors.      A call that cannot do its work prints one error message, and the job ends.
 */
#ifndef SYNCLINE_TMK_H
#define SYNCLINE_TMK_H

#include <stddef.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TMK_API __attribute__((visibility("default")))

/* Barriers 0 to TMK_NBARRIERS - 1, locks 0 to TMK_NLOCKS - 1, and each lock has TMK_NCONDS conditions. */
#define TMK_NBARRIERS 32
#define TMK_NLOCKS 1024
#define TMK_NCONDS 4
#define TMK_NPROCS 256 /* at most */

TMK_API extern unsigned Tmk_proc_id; /* this process's number, from 0 */
TMK_API extern unsigned Tmk_nprocs;  /* the number of processes */
TMK_API extern unsigned Tmk_page_size;
TMK_API extern unsigned Tmk_npages; /* pages of shared memory */

/* This process's counts, as of its last barrier. */
struct Tmk_stat {
    unsigned acquires;              /* of locks */
    unsigned acquire_time;          /* in microseconds */
    unsigned arrivals;              /* at barriers */
    unsigned broadcasts;            /* of conditions */
    unsigned signals;               /* of conditions */
    unsigned waits;                 /* of conditions */
    unsigned bytes;                 /* bytes of pages and diffs that were fetched */
    unsigned bytes_of_data;         /* as `bytes`: no headers are counted */
    unsigned cold_misses;           /* faults */
    unsigned messages;              /* fetches of pages and diffs, and requests that a handler has served */
    unsigned messages_for_acquires; /* 0: a lock needs no messages */
    unsigned rexmits;               /* 0: `syncline stat` counts retransmissions for each node */
    unsigned diffs;
    unsigned twins;
    unsigned repos;           /* 0: there is no garbage collection */
    unsigned total_diff_size; /* in bytes */
};
TMK_API extern struct Tmk_stat Tmk_stat;

/*
 * Collective. Reads the options behind "--": -s prints the statistics of all processes together at Tmk_exit(), -S
 * prints also those of each process, and -P sets the number of pages of shared memory. Options about hosts, processes,
 * ports, windows and debuggers are `syncline run`'s business and have no effect; process 0 prints a message if -n is
 * not the job's number.
 */
TMK_API void Tmk_startup(int argc, char* const* argv);

/*
 * Ends the process. Collective with status 0: waits for the other processes. Any other status ends the job at once.
 * exit() and the end of main() do the same. If a process has ended and the others would wait for ever, the job ends
 * with an error message.
 */
TMK_API void Tmk_exit(int status) __attribute__((noreturn));

/*
 * Called by one process. Tmk_malloc() returns shared memory, aligned to 64 bytes, or NULL. Tmk_sbrk() returns whole
 * pages, each call a piece of its own: pieces need not follow each other.
 */
TMK_API void* Tmk_malloc(size_t size);
TMK_API void Tmk_free(void* memory);
TMK_API void* Tmk_sbrk(size_t size);

/*
 * Called by one process. Copies a private variable of the program, or of a library of the program, to the same variable
 * of all other processes. They have the copy after their next barrier or lock that is ordered behind this call.
 */
TMK_API void Tmk_distribute(const void* variable, int size);

TMK_API void Tmk_barrier(unsigned barrier);
TMK_API void Tmk_lock_acquire(unsigned lock);
TMK_API void Tmk_lock_release(unsigned lock);

/* The caller has the lock. A wait may return without a signal. */
TMK_API void Tmk_lock_cond_wait(unsigned lock, unsigned condition);
TMK_API void Tmk_lock_cond_signal(unsigned lock, unsigned condition);
TMK_API void Tmk_lock_cond_broadcast(unsigned lock, unsigned condition);

/*
 * Print, as printf() does, on stderr; the calls with exit end the job. The calls with p add the reason in errno, as
 * perror() does.
 */
TMK_API void Tmk_err(const char* format, ...) __attribute__((format(printf, 1, 2)));
TMK_API void Tmk_perror(const char* format, ...) __attribute__((format(printf, 1, 2)));
TMK_API void Tmk_errexit(const char* format, ...) __attribute__((format(printf, 1, 2), noreturn));
TMK_API void Tmk_perrexit(const char* format, ...) __attribute__((format(printf, 1, 2), noreturn));

#ifdef __cplusplus
}
#endif

#endif
