// SPDX-License-Identifier: BSD-3-Clause
// The library is not linked to an MPI. In a program with MPI these names resolve to it, with arguments that are the
// same in every MPI; in other programs they are NULL.
#include "api/armci/beside_mpi.h"

#include "api/armci/error.h"

extern "C" {

[[gnu::weak]] int MPI_Initialized(int* flag);
[[gnu::weak]] int MPI_Finalized(int* flag);
[[gnu::weak]] int MPI_Init(int* argc, char*** argv);
[[gnu::weak]] int MPI_Finalize(void);

}  // extern "C"

namespace syncline::armci {
namespace {

bool has_mpi() {
    return MPI_Initialized != nullptr && MPI_Finalized != nullptr && MPI_Init != nullptr && MPI_Finalize != nullptr;
}

bool says_yes(int (*question)(int*)) {
    int flag = 0;
    return question(&flag) == 0 && flag != 0;
}

}  // namespace

void initialise_mpi(int* argc, char*** argv) {
    if (has_mpi() && !says_yes(MPI_Initialized) && MPI_Init(argc, argv) != 0) {
        refuse("MPI_Init() has failed");
    }
}

void finalise_mpi() {
    if (has_mpi() && says_yes(MPI_Initialized) && !says_yes(MPI_Finalized) && MPI_Finalize() != 0) {
        refuse("MPI_Finalize() has failed");
    }
}

}  // namespace syncline::armci
