/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits for a word of memory, and how a thread ends its waits. Programs include syncline.h. */
#ifndef SYNCLINE_WAITING_H
#define SYNCLINE_WAITING_H

#include "syncline/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Waiting ------------------------------------------------------------------------------------------------ */

enum syncline_comparison {
    SYNCLINE_EQ = 0,
    SYNCLINE_NE = 1,
    SYNCLINE_GT = 2,
    SYNCLINE_GE = 3,
    SYNCLINE_LT = 4,
    SYNCLINE_LE = 5,
};

/*
 * Waits until an aligned word of this PE's own segment compares as `comparison` says with `value` (unsigned); data that
 * other PEs wrote before the word is then visible. `timeout_us` < 0: for ever. In block mode the thread sleeps, and the
 * writer of the word wakes it. A wait for ever checks the PEs of the job every 0.5 s and returns _PEER, once for each
 * PE it finds gone: call it again if another PE is to write the word. Errors: _TIMEOUT, _ADDRESS (the word is in no
 * segment), _PEER, _NODE.
 */
SYNCLINE_API int syncline_wait_until64(const uint64_t* word, int comparison, uint64_t value, int64_t timeout_us);

/* Returns a value other than 0 if the call that waits is to give up. It may call the library. */
typedef int (*syncline_interrupt_t)(void* context);

/*
 * Lets this thread end its own waits for other nodes. While puts, gets, accumulates, atomics, syncline_wait(),
 * syncline_fence() and syncline_quiet() wait, on this thread, they call `ask` every 50 ms. If it returns a value other
 * than 0, they return _INTERRUPTED: what they have started may or may not be executed, and the library leaves their
 * buffers alone from then on. A non-blocking form that is interrupted while it starts its operation ends its request
 * so; the request of an interrupted syncline_wait() is still to be completed. All other calls wait on. NULL: no more.
 *
 * This is for programs whose handlers of signals cannot run while they are in a call, such as an interpreter.
 */
SYNCLINE_API int syncline_set_interrupt(syncline_interrupt_t ask, void* context);

#ifdef __cplusplus
}
#endif

#endif
