// SPDX-License-Identifier: BSD-3-Clause
// The trace of this process (base/trace.h) on standard error, where it explains a failure: when a wait has run out or a
// PE is gone, the first time only; when this process aborts its job and no `syncline run` prints the traces of all PEs;
// and when an assertion fails.
//
// Threads: any. A thread that fails while the process leaves its job finds the trace, or none.
#pragma once

#include "job/attachment/attachment.h"

namespace syncline {

// The process has joined its job; NULL: it leaves the job. Does nothing without a trace.
void keep_own_trace(const Attachment* attachment);

// The call that this thread is in fails.
void note_failure(int status);

// Prints the traces of this node's PEs, or of this PE alone if its node has no daemon.
void print_traces_at_abort();

}  // namespace syncline
