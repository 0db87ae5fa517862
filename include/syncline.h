/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Syncline: remote memory that the NIC serves. The native C API.
 *
 * A job is a set of processing elements (PEs), numbered 0 to syncline_size() - 1. Each PE owns segments of memory:
 * segment 0 is its symmetric heap, the others are memory of its own that it has registered. Any PE may read, write and
 * atomically update any PE's segments; no process on the target takes part. A remote location is a pair (rank,
 * address), the counterpart of the triple of node, port and virtual address in Buntinas 2002, section III.B. An address
 * is a plain 64-bit number: PEs can send it to each other, and it means the same to all of them.
 *
 * Status.      Every call returns SYNCLINE_OK (0) or a negative status, and writes its outputs only on success. A call
 *              returns _INVALID for NULL where it needs memory. syncline_error_string() explains a status;
 *              syncline_last_error() gives the message of this thread's last failure, which names the call, the value
 *              and the remedy.
 * Threads.     Any thread may make any call at any time after syncline_init() and before syncline_finalize(), which one
 *              thread calls once.
 * Completion.  An operation is complete when it has been executed at the target exactly once and the target has said
 *              so. A blocking call returns when its operation is complete. A non-blocking call (_nb) completes at
 *              syncline_test(), syncline_wait(), syncline_poll(), syncline_quiet() or, for one target,
 *              syncline_fence(). Until then its result buffers belong to the library; it has copied its operands and
 *              source data by the time it returns. A posted call (no result, no request) has copied its operands when
 *              it returns, and is complete at the next fence, quiet or barrier.
 * Ordering.    Operations are not ordered, with two exceptions: a fence orders all earlier operations on its target
 *              before all later ones, and a quiet does so for all targets.
 * Atomicity.   32- and 64-bit atomics, and each number of an accumulate, are atomic with each other, whichever executor
 *              runs them, and with the atomic instructions of CPUs of the target node. An aligned put or get of 1, 2, 4
 *              or 8 bytes is single-copy atomic; a piece of a list of several is not. 128-bit atomics are atomic with
 *              respect to 128-bit atomics only.
 * Failure.     If a signal kills a peer, operations addressed to it return SYNCLINE_ERR_PEER within the peer timeout;
 *              other operations go on. An operation that ends in this way may or may not have been executed. A PE that
 *              exits without syncline_finalize(), or before syncline_init(), ends the job, and the job's launcher
 *              reports it.
 * Fork.        A child that a PE makes by fork() is not a PE: calls return SYNCLINE_ERR_NOT_INITIALIZED there. The
 *              child has copies of variables and of registered memory, and must not access the symmetric heap.
 */
#ifndef SYNCLINE_H
#define SYNCLINE_H

#define SYNCLINE_VERSION_MAJOR 0
#define SYNCLINE_VERSION_MINOR 1

/* clang-format off */
#include "syncline/types.h"
#include "syncline/setup.h"
#include "syncline/memory.h"
#include "syncline/rma.h"
#include "syncline/completion.h"
#include "syncline/barriers.h"
#include "syncline/waiting.h"
#include "syncline/atomics.h"
#include "syncline/locks.h"
/* clang-format on */
#endif
