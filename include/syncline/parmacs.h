/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Syncline: what the macros of parmacs.m4 expand to. Programs use the macros (Lusk, Overbeek et al.: "Portable Programs
 * for Parallel Processors", 1987; SPLASH-2, 1995), and m4 puts this header into them. docs/DSM.md says how.
 *
 * Processes.   Process 0 alone runs main(). CREATE hands a function to the next process that waits, with the private
 *              memory of the creator as it is at that time: the variables of the program's executable, and all that the
 *              program has allocated by malloc() and the like. Variables of libraries (stdout, optarg, the state of
 *              rand()), the stack and thread-local variables do not travel; the strings that argv points to do.
 * Addresses.   All processes run without randomisation of addresses, and compare theirs when they start.
 * Variables.   A lock, barrier or the like that a DEC macro declares may lie in shared memory, or be a private variable
 *              that INIT has seen in front of the CREATE. It must be initialised, and must not be copied.
 * Errors.      One sentence, and the job ends.
 */
#ifndef SYNCLINE_PARMACS_H
#define SYNCLINE_PARMACS_H

#include <stddef.h>
#include <stdint.h>
/*
 * Programs count on these: the macro files that they come with include them, too. Old ones declare functions of libc's
 * in ways that these contradict: cc -DSYNCLINE_PARMACS_BARE leaves them out.
 */
#ifndef SYNCLINE_PARMACS_BARE
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define SYNCLINE_PARMACS_API __attribute__((visibility("default")))

/* ---- Processes ---------------------------------------------------------------------------------------------- */

/* In front of main(), by MAIN_ENV. Returns in process 0 only. The two last arguments: where private variables are. */
SYNCLINE_PARMACS_API void syncline_parmacs_begin(int argc, char** argv, char* variables, char* variables_end);
SYNCLINE_PARMACS_API void syncline_parmacs_main_initenv(size_t bytes);
SYNCLINE_PARMACS_API void syncline_parmacs_main_end(void) __attribute__((noreturn));
SYNCLINE_PARMACS_API void syncline_parmacs_create(void (*function)(void));
/* Makes count - 1 processes; the caller runs the function itself. */
SYNCLINE_PARMACS_API void syncline_parmacs_create_others(void (*function)(void), long count);
/* Waits until `count` processes that the caller has created have ended, or all that there are. */
SYNCLINE_PARMACS_API void syncline_parmacs_wait_for_end(long count);
SYNCLINE_PARMACS_API int syncline_parmacs_process(void);
SYNCLINE_PARMACS_API unsigned long syncline_parmacs_clock(void); /* microseconds */

/* ---- Memory ------------------------------------------------------------------------------------------------- */

SYNCLINE_PARMACS_API void* syncline_parmacs_allocate(size_t bytes);
SYNCLINE_PARMACS_API void syncline_parmacs_free(void* memory);

/* ---- Synchronisation: of what the DEC macros have declared ---------------------------------------------------- */

SYNCLINE_PARMACS_API void syncline_parmacs_lock_init(void* locks, long count);
SYNCLINE_PARMACS_API void syncline_parmacs_lock(const void* lock);
SYNCLINE_PARMACS_API void syncline_parmacs_unlock(const void* lock);

/* A count of 0 is none: the barrier's own, which INIT was given, or else all processes that run. */
SYNCLINE_PARMACS_API void syncline_parmacs_barrier_init(void* barrier, long count);
SYNCLINE_PARMACS_API void syncline_parmacs_barrier(const void* barrier, long count);

/* Conditions are known by their addresses alone. A wait may return without a signal. */
SYNCLINE_PARMACS_API void syncline_parmacs_condition_wait(const void* condition, const void* lock);
SYNCLINE_PARMACS_API void syncline_parmacs_condition_wake(const void* condition);

/* Around an operation on this address that no other process is to disturb; no other call is in between. */
SYNCLINE_PARMACS_API void syncline_parmacs_atomic_begin(const void* address);
SYNCLINE_PARMACS_API void syncline_parmacs_atomic_end(const void* address);

/* Pauses are events that are set or clear. Initially clear. */
SYNCLINE_PARMACS_API void syncline_parmacs_pause_init(void* pauses, long count);
SYNCLINE_PARMACS_API void syncline_parmacs_pause_set(const void* pause);
SYNCLINE_PARMACS_API void syncline_parmacs_pause_clear(const void* pause);
SYNCLINE_PARMACS_API void syncline_parmacs_pause_wait(const void* pause);
/* Waits until it is clear and sets it; waits until it is set and clears it. One process at a time succeeds. */
SYNCLINE_PARMACS_API void syncline_parmacs_pause_fill(const void* pause);
SYNCLINE_PARMACS_API void syncline_parmacs_pause_take(const void* pause);

/*
 * Subscripts 0 to `last`, each to one process, then -1. With `processes` > 0, -1 is given when so many processes have
 * come for it, and the subscripts begin anew behind that; without, the first process that gets -1 begins anew.
 */
SYNCLINE_PARMACS_API void syncline_parmacs_subscript_init(void* subscripts);
SYNCLINE_PARMACS_API long syncline_parmacs_subscript(const void* subscripts, long last, long processes);

SYNCLINE_PARMACS_API void syncline_parmacs_semaphore_init(void* semaphore, long value);
SYNCLINE_PARMACS_API void syncline_parmacs_semaphore_wait(const void* semaphore);
SYNCLINE_PARMACS_API void syncline_parmacs_semaphore_post(const void* semaphore);

/* Monitors with queues 0 to `queues` - 1, at most SYNCLINE_PARMACS_QUEUES. */
enum { SYNCLINE_PARMACS_QUEUES = 16 };
SYNCLINE_PARMACS_API void syncline_parmacs_monitor_init(void* monitor, long queues);
SYNCLINE_PARMACS_API void syncline_parmacs_monitor_enter(const void* monitor);
SYNCLINE_PARMACS_API void syncline_parmacs_monitor_leave(const void* monitor);
/* Gives the monitor up and waits in a queue; has the monitor when it returns. */
SYNCLINE_PARMACS_API void syncline_parmacs_monitor_delay(const void* monitor, long queue);
/* Leaves the monitor to the first process of a queue; if none waits there, to any. */
SYNCLINE_PARMACS_API void syncline_parmacs_monitor_continue(const void* monitor, long queue);

#ifdef __cplusplus
}
#endif

/* MAIN_ENV: this is a program of PARMACS, and its other processes never reach main(). */
#define SYNCLINE_PARMACS_PROGRAM                                                              \
    extern char __data_start[], _end[];                                                       \
    static void syncline_parmacs_program(int argc, char** argv) __attribute__((constructor)); \
    static void syncline_parmacs_program(int argc, char** argv) {                             \
        syncline_parmacs_begin(argc, argv, __data_start, _end);                               \
    }

#ifndef PAGE_SIZE
#define PAGE_SIZE 4096
#endif

#endif
