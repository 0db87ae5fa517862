/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions that the macros of parmacs.m4 expand to. Programs use the macros (Lusk, Overbeek et al.: "Portable
 * Programs for Parallel Processors", 1987; SPLASH-2, 1995), and m4 puts this header into them. docs/DSM.md says how.
 *
 * Processes.   Process 0 alone runs main(). CREATE hands a function to the next process that waits, with the private
 *              memory of the creator as it is at that time: the variables of the program's executable, and all memory
 *              that the program has allocated by malloc() and the like. Variables of libraries (stdout, optarg, the
 *              state of rand()), the stack and thread-local variables are not handed over; the strings that argv points
 *              to are.
 * Addresses.   All processes run without randomisation of addresses, and compare their addresses when they start.
 * Variables.   A lock, barrier or the like that a DEC macro declares may lie in shared memory, or be a private variable
 *              that INIT has seen in front of the CREATE. It must be initialised, and must not be copied.
 * Errors.      A call that fails prints one error message, and the job ends.
 */
#ifndef SYNCLINE_PARMACS_H
#define SYNCLINE_PARMACS_H

#include <stddef.h>
#include <stdint.h>
/*
 * Programs rely on these headers, because the macro files that they come with include them, too. Old programs declare
 * functions of libc in ways that contradict them: cc -DSYNCLINE_PARMACS_BARE leaves them out.
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

/*
 * Called in front of main(), by MAIN_ENV. Returns in process 0 only. `variables` to `variables_end`: private variables.
 */
SYNCLINE_PARMACS_API void syncline_parmacs_begin(int argc, char** argv, char* variables, char* variables_end);
SYNCLINE_PARMACS_API void syncline_parmacs_main_initenv(size_t bytes);
SYNCLINE_PARMACS_API void syncline_parmacs_main_end(void) __attribute__((noreturn));
SYNCLINE_PARMACS_API void syncline_parmacs_create(void (*function)(void));
/* Makes count - 1 processes; the caller runs the function itself. */
SYNCLINE_PARMACS_API void syncline_parmacs_create_others(void (*function)(void), long count);
/* Waits until `count` processes that the caller has created have ended, or all of them if there are fewer. */
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

/* A count of 0 stands for none: the barrier then uses the count that INIT was given, or else all processes that run. */
SYNCLINE_PARMACS_API void syncline_parmacs_barrier_init(void* barrier, long count);
SYNCLINE_PARMACS_API void syncline_parmacs_barrier(const void* barrier, long count);

/* A condition is known by its address alone. A wait may return without a signal. */
SYNCLINE_PARMACS_API void syncline_parmacs_condition_wait(const void* condition, const void* lock);
SYNCLINE_PARMACS_API void syncline_parmacs_condition_wake(const void* condition);

/* Called around an operation on this address that no other process may disturb; no other call may be in between. */
SYNCLINE_PARMACS_API void syncline_parmacs_atomic_begin(const void* address);
SYNCLINE_PARMACS_API void syncline_parmacs_atomic_end(const void* address);

/* A pause is an event that is set or clear; at first it is clear. */
SYNCLINE_PARMACS_API void syncline_parmacs_pause_init(void* pauses, long count);
SYNCLINE_PARMACS_API void syncline_parmacs_pause_set(const void* pause);
SYNCLINE_PARMACS_API void syncline_parmacs_pause_clear(const void* pause);
SYNCLINE_PARMACS_API void syncline_parmacs_pause_wait(const void* pause);
/*
 * Fill waits until the pause is clear and sets it; take waits until it is set and clears it. One process succeeds at a
 * time.
 */
SYNCLINE_PARMACS_API void syncline_parmacs_pause_fill(const void* pause);
SYNCLINE_PARMACS_API void syncline_parmacs_pause_take(const void* pause);

/*
 * Gives out subscripts 0 to `last`, each to one process, and then -1. With `processes` > 0, the subscripts begin anew
 * once that many processes have been given -1; with 0, they begin anew behind the first process that gets -1.
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
/* Gives up the monitor and waits in a queue; has the monitor again when it returns. */
SYNCLINE_PARMACS_API void syncline_parmacs_monitor_delay(const void* monitor, long queue);
/* Leaves the monitor to the first process of a queue or, if no process waits there, to any process. */
SYNCLINE_PARMACS_API void syncline_parmacs_monitor_continue(const void* monitor, long queue);

#ifdef __cplusplus
}
#endif

/* MAIN_ENV makes a program of PARMACS of this one: its other processes never reach main(). */
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
