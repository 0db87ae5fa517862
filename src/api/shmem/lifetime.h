// SPDX-License-Identifier: BSD-3-Clause
// Between a last shmem_finalize() and another shmem_init().
//
// A PE attaches to its job once in the job's life, so a PE that has finalized stays attached and rests: it tells its
// daemon that its end is from now on no death, and takes up the job again when it is initialised anew. The pages of the
// program's variables, which are registered memory, and what the heap has grown by stay as they are; everything in the
// heap is free.
//
// With the native interface (syncline.h): where shmem_init() has attached the PE, a last shmem_finalize() ends the job
// for native calls, too. Where the program called syncline_init() itself, the job is the program's until
// syncline_finalize(), and shmem_finalize() ends OpenSHMEM's part.
#pragma once

namespace syncline::shmem {

// Attaches, or takes up the job that the PE rests in: `process` is there, and `runtime` if there was one. Ends the job
// if it cannot.
void join_job(const char* call);

// All PEs have come this far, and nothing is under way any more: `process` and `runtime` are put to rest.
void leave_job(const char* call);

// In the child of a fork(): as disown_job() of the native interface, of a job that its parent rests in.
void disown_resting_job();

// Ends the job of a PE that rests.
void abort_resting(int status);

}  // namespace syncline::shmem
