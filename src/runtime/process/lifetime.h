// SPDX-License-Identifier: BSD-3-Clause
// When a PE's process has a job, for all front-ends together.
//
// A PE attaches to its job once in the job's life. A front-end that joins (join_job) finds the process attached, or
// attaches it; one that leaves either ends the job for this process (leave_job) or lets it rest (rest_in_job): the PE
// stays attached, tells its daemon that its end is from now on no death, and takes the job up again (resume_job). The
// pages that are registered, and what the heap has grown by, stay as they are while it rests.
//
// A child that a PE makes by fork() is no PE: it must neither keep the PE's connection to the daemon open, by whose end
// the PE's death is known, nor leave the job in the PE's name. `process` is NULL there, for good. It has a copy of the
// PE's variables (job/moved_memory.h) and none of its heap: an access to that ends it, with a sentence.
//
// Threads: joining, leaving, resting and resuming are for one thread at a time.
#pragma once

#include <string>

#include "runtime/process/process.h"

namespace syncline {

enum class Lifetime { kAbsent, kJoined, kResting, kFinalized, kForked };

Lifetime lifetime();
// Why `process` is NULL, for a sentence.
std::string why_absent();

// kAbsent to kJoined. SYNCLINE_WAIT in the environment is stronger than the option. OK, or why not.
int join_job(const Process::Options& options);
// kJoined to kFinalized, by all PEs: everything they have started is complete, and nothing is under way any more. OK,
// or _BUSY where a user (hold_job) is left; any other error leaves the job all the same.
int leave_job();
// kJoined to kResting, and back. Throw Failure.
void rest_in_job();
void resume_job();

// A front-end that is used beside the one that joined: leave_job() refuses while there is one.
void hold_job(const char* name);
void let_go_of_job(const char* name);
bool is_used_beside(const char* name);

// Ends the job for all PEs, where there is one, and this process.
[[noreturn]] void abort_job(int code);

}  // namespace syncline
