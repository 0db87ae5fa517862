// SPDX-License-Identifier: BSD-3-Clause
// The part of a PE's life in which its process has a job, for all front-ends together.
//
// A PE attaches to its job once in the job's life. A front-end that joins (join_job) finds the process attached, or
// attaches it. A front-end that leaves either ends the job for this process (leave_job) or lets it rest (rest_in_job).
// A PE that rests stays attached, tells its daemon that its end does not count as a death from now on, and can take the
// job up again (resume_job). The registered pages, and the parts that the heap has grown by, stay as they are while it
// rests.
//
// A child that a PE makes by fork() is not a PE. It must neither keep the PE's connection to the daemon open, because
// the connection's end tells the PE's death, nor leave the job in the PE's name. `process` is NULL there, for good. The
// child has a copy of the PE's variables (job/attachment/moved_memory.h) and none of its heap: an access to the heap
// ends the child, with an error message.
//
// Threads: one thread at a time joins, leaves, rests or resumes.
#pragma once

#include <string>

#include "runtime/process/process.h"

namespace syncline {

// Made by join_job(). NULL before that, after the end, while the PE rests, and in a child that the PE made by fork().
inline Process* process = nullptr;

enum class Lifetime { kAbsent, kJoined, kResting, kFinalized, kForked };

Lifetime lifetime();
// Returns the reason why `process` is NULL, for a message.
std::string why_absent();

// kAbsent to kJoined. SYNCLINE_WAIT in the environment overrides the option. Returns OK, or the reason why it failed.
int join_job(const Process::Options& options);
// kJoined to kFinalized, called by all PEs: all operations that they have started are complete, and none is under way
// any more. Returns OK, or _BUSY if a user (hold_job) is left; after any other error the process has left the job all
// the same.
int leave_job();
// kJoined to kResting, and back. Throw Failure.
void rest_in_job();
void resume_job();

// Registers a front-end that is used beside the one that joined: leave_job() refuses while there is one.
void hold_job(const char* name);
void let_go_of_job(const char* name);
bool is_used_beside(const char* name);

// Ends the job for all PEs, if there is one, and this process.
[[noreturn]] void abort_job(int code);

}  // namespace syncline
