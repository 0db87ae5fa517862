// SPDX-License-Identifier: BSD-3-Clause
// The time between a last shmem_finalize() and another shmem_init().
//
// A PE attaches to its job once in the job's life. So a PE that has finalized rests (runtime/process/lifetime.h), and
// takes up the job again when it is initialised anew; its whole heap is free then.
//
// With the native interface (syncline.h): if shmem_init() has attached the PE, a last shmem_finalize() ends the job for
// native calls, too. If the program has called syncline_init() itself, the job is the program's until
// syncline_finalize(), and shmem_finalize() ends OpenSHMEM's part only.
#pragma once

namespace syncline::shmem {

// Attaches, or takes up the job in which the PE rests: then there is a `process`, and a `library` if there was one.
// Ends the job if it cannot.
void join();

// All PEs have come here, and no operation is under way any more: puts `library`, and with it the process, to rest.
void leave();
// Returns whether another front-end, which must be finalized before OpenSHMEM, has not been.
bool is_needed_yet();

// In the child of a fork(), which is not a PE: `library` is NULL from now on.
void disown();

}  // namespace syncline::shmem
