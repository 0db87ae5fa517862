/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Assertions of this project's own invariants, for C and C++.
 *
 * A failed assertion means that this code is wrong: it prints one line with the condition, the values and the place,
 * then the trace if one is kept (trace.h), and aborts. So no packet, no client's message, no argument of a user and no
 * word that another process may write can make an assertion fail: such values are validated, and refused or dropped. A
 * word of shared memory may be asserted on where only this process writes it.
 *
 *      SYNCLINE_ASSERT(condition, format, values...)
 *          Always. The condition costs no more than a compare of words that the function has at hand.
 *      SYNCLINE_CHECK(condition, format, values...)
 *          Only where SYNCLINE_CHECKS is defined: debug builds, builds with sanitizers, and the library of the
 *          deterministic simulation.
 *      SYNCLINE_CHECK_SHARED(condition, format, values...)
 *          Likewise, on a word of a lock or a barrier that only this library writes, in whichever PE or NIC of the job.
 *          Tests with a NIC that is broken on purpose switch these off.
 *
 * `format` is printf's. Neither evaluates the values unless it fails; a check that is off evaluates nothing, but its
 * names count as used. Native firmware has FW_ASSERT and FW_CHECK (platform_native.h); in programs for the kernel these
 * are nothing.
 */
#ifndef SYNCLINE_BASE_CHECK_H
#define SYNCLINE_BASE_CHECK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Prints the line, calls what syncline_at_failed_check() was given, and aborts. */
__attribute__((noreturn, cold, noinline, format(printf, 4, 5))) void syncline_check_failed(const char* condition,
                                                                                           const char* file, int line,
                                                                                           const char* format, ...);
/* 0 switches SYNCLINE_CHECK_SHARED off. For tests, before other threads. */
extern int syncline_checks_shared_words;

#ifdef __cplusplus
/* NULL: nothing. A second failure, in that function or in another thread, does not call it again. */
void syncline_at_failed_check(void (*print)());
}
#endif

#define SYNCLINE_ASSERT(condition, ...)                                                                          \
    (__builtin_expect(!(condition), 0) ? syncline_check_failed(#condition, __FILE_NAME__, __LINE__, __VA_ARGS__) \
                                       : (void)0)

#ifdef SYNCLINE_CHECKS
#define SYNCLINE_CHECK(condition, ...) SYNCLINE_ASSERT(condition, __VA_ARGS__)
#define SYNCLINE_CHECK_SHARED(condition, ...)                                      \
    (__builtin_expect(syncline_checks_shared_words && !(condition), 0)             \
         ? syncline_check_failed(#condition, __FILE_NAME__, __LINE__, __VA_ARGS__) \
         : (void)0)
#else
#define SYNCLINE_CHECK(condition, ...) ((void)(1 || (condition)))
#define SYNCLINE_CHECK_SHARED(condition, ...) ((void)(1 || (condition)))
#endif

#endif
