// SPDX-License-Identifier: BSD-3-Clause
// Between a last shmem_finalize() and another shmem_init().
//
// A PE attaches to its job once in the job's life, so a PE that has finalized rests (runtime/process/lifetime.h) and
// takes up the job again when it is initialised anew; everything in its heap is free then.
//
// With the native interface (syncline.h): where shmem_init() has attached the PE, a last shmem_finalize() ends the job
// for native calls, too. Where the program called syncline_init() itself, the job is the program's until
// syncline_finalize(), and shmem_finalize() ends OpenSHMEM's part.
#pragma once

namespace syncline::shmem {

// Attaches, or takes up the job that the PE rests in: `process` is there, and `library` if there was one. Ends the job
// if it cannot.
void join();

// All PEs have come this far, and nothing is under way any more: `library`, and with it the process, is put to rest.
void leave();
// Another front-end, to be finalized before OpenSHMEM, has not been.
bool is_needed_yet();

// In the child of a fork(), which is no PE: `library` is NULL from now on.
void disown();

}  // namespace syncline::shmem
