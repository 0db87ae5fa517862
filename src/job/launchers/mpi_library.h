// SPDX-License-Identifier: BSD-3-Clause
// The MPI that is in this process beside Syncline.
#pragma once

namespace syncline {

// Open MPI 5 (5.0.7 is tested) learns its name from PMIx only if MPI_Init is the first in the process to initialise
// PMIx; otherwise it fails with "local rank", "Not found (-13)". Returns true while such an MPI is there and has not
// been initialised.
bool mpi_wants_pmix_first();

}  // namespace syncline
