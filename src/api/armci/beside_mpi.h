// SPDX-License-Identifier: BSD-3-Clause
// The program's MPI, if it has one. Programs that use the message layer rely on it to initialise and finalise MPI:
// after armci_msg_init() they call MPI, and armci_msg_finalize() is their last call of either.
#pragma once

namespace syncline::armci {

// Initialises MPI, unless the program has done so itself, or has no MPI.
void initialise_mpi(int* argc, char*** argv);
void finalise_mpi();

}  // namespace syncline::armci
