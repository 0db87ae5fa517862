// SPDX-License-Identifier: BSD-3-Clause
// The installations of ARMCI that `syncline bench armci` compares, and Syncline's beside MPI in one program.
#pragma once

#include "bench/measure/shmem_library.h"

namespace syncline::bench {

// Returns Syncline's ARMCI, whose programs `syncline run` starts.
std::unique_ptr<ShmemLibrary> make_own_armci(const ShmemLayout& layout);

// Returns ARMCI-MPI over Open MPI: with shared memory on one node, with TCP over a test bed of its own. Makes files in
// the folder. Throws Failure if ARMCI-MPI is not installed.
std::unique_ptr<ShmemLibrary> make_armci_mpi(const ShmemLayout& layout, const OpenMpiOptions& options,
                                             const std::string& folder);

// Returns Syncline's ARMCI for programs that Open MPI starts and that also use MPI, with a resident `synclined` on each
// node. Makes files in the folder.
std::unique_ptr<ShmemLibrary> make_own_beside_mpi(const ShmemLayout& layout, const OpenMpiOptions& options,
                                                  const std::string& folder);

}  // namespace syncline::bench
