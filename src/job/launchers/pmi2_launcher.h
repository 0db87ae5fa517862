// SPDX-License-Identifier: BSD-3-Clause
// A launcher that speaks PMI-2, as Slurm's srun --mpi=pmi2 does where it was built without PMIx. Slurm's own library is
// loaded when it is needed. A process has one PMI-2: MPI may not use it in the same process.
#pragma once

#include <memory>

#include "job/launchers/launcher.h"

namespace syncline {

// Returns why its library cannot be loaded here, or "".
std::string why_no_pmi2_library();

// Throws Failure: there is no library, or no server answers it.
std::unique_ptr<Launcher> connect_to_pmi2();

}  // namespace syncline
