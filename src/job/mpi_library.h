// SPDX-License-Identifier: BSD-3-Clause
// An MPI that is in this process beside us.
#pragma once

namespace syncline {

// Open MPI 5 (5.0.7 is tested) learns its name from PMIx only where MPI_Init is the first in the process to initialise
// that: "local rank", it says else, "Not found (-13)". True while such an MPI is there and has not begun.
bool mpi_wants_pmix_first();

}  // namespace syncline
