/* SPDX-License-Identifier: BSD-3-Clause */
/* When operations are complete, and the barrier of the job. Programs include syncline.h. */
#ifndef SYNCLINE_COMPLETION_H
#define SYNCLINE_COMPLETION_H

#include "syncline/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Completion --------------------------------------------------------------------------------------------- */

/*
 * Makes progress and stores in *done whether the request is complete. If it is, the call returns the operation's status
 * and gives the request back (do not test it again). Errors of the call itself: _INVALID (no such request).
 */
SYNCLINE_API int syncline_test(syncline_request_t request, int* done);

/* Waits until a request is complete; returns the operation's status. */
SYNCLINE_API int syncline_wait(syncline_request_t request);

/* Called once per completed operation that was started without a request. It may start operations, but not wait. */
typedef void (*syncline_callback_t)(uint64_t tag, int status, void* context);

/*
 * Makes progress and calls `callback` for at most `max` completions. Returns how many it has handed out, or a status.
 */
SYNCLINE_API int syncline_poll(syncline_callback_t callback, void* context, int max);

/*
 * Waits until every operation that this PE has started on `rank` is complete. Returns the first error among the
 * operations posted to it or to another PE of its node.
 */
SYNCLINE_API int syncline_fence(int rank);

/* As syncline_fence(), for all targets. */
SYNCLINE_API int syncline_quiet(void);

/*
 * As syncline_quiet(), and then the job barrier: waits until every PE of the job has called it. Returns _PEER if a PE
 * is gone, within the peer timeout.
 */
SYNCLINE_API int syncline_barrier(void);

#ifdef __cplusplus
}
#endif

#endif
