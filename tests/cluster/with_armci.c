// SPDX-License-Identifier: BSD-3-Clause
// with_armci <communicator> [<initialised first> <finalised first>]: MPI and ARMCI in one program have the same
// numbers.
//   world                 mpi or armci is initialised, and finalised, first
//   halves                even and odd ranks have a world each, in the reverse order
//   one-after-the-other   so, and the second half begins when the first one has ended
#define MSG_COMMS_MPI
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "armci.h"
#include "message.h"

static const char* problem = NULL;

static void expect(int holds, const char* what) {
    if (!holds && problem == NULL) {
        problem = what;
    }
}

// Every process adds its rank + 1 at every other one.
static void use(MPI_Comm comm) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    expect(rank == armci_msg_me() && size == armci_msg_nproc(), "the numbers differ");
    void* blocks[64];
    expect(size <= 64 && ARMCI_Malloc(blocks, sizeof(long)) == 0, "ARMCI_Malloc");
    long* const own = blocks[rank];
    *own = 0;
    ARMCI_Barrier();
    for (int process = 0; process < size; process++) {
        long old;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, blocks[process], rank + 1, process);
    }
    ARMCI_Barrier();
    long least = 0;
    MPI_Allreduce(own, &least, 1, MPI_LONG, MPI_MIN, comm);
    expect(least == (long)size * (size + 1) / 2, "the sum");

    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    MPI_Comm same = armci_group_comm(&world);
    int comparison = MPI_UNEQUAL;
    MPI_Comm_compare(comm, same, &comparison);
    expect(comparison == MPI_CONGRUENT, "the communicator of the group");
    MPI_Comm_free(&same);
    ARMCI_Barrier();
    expect(ARMCI_Free(own) == 0, "ARMCI_Free");
}

static void use_half(int turns) {
    int rank;
    MPI_Comm half;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    if (turns && rank % 2 == 1) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    expect(ARMCI_Init_mpi_comm(half) == 1, "ARMCI_Init_mpi_comm");
    ARMCI_Init();  // as Global Arrays does, which finalises once
    use(half);
    ARMCI_Finalize();
    expect(ARMCI_Initialized() == 0, "ARMCI_Finalize");
    if (turns && rank % 2 == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm_free(&half);
    MPI_Finalize();
}

int main(int argc, char** argv) {
    const int armci_begins = argc > 3 && strcmp(argv[2], "armci") == 0;
    const int armci_ends = argc > 3 && strcmp(argv[3], "armci") == 0;
    if (armci_begins) {
        ARMCI_Init();
    }
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 1 && strcmp(argv[1], "world") != 0) {
        use_half(strcmp(argv[1], "halves") != 0);
    } else {
        if (!armci_begins) {
            expect(ARMCI_Init_thread_comm(MPI_THREAD_MULTIPLE, MPI_COMM_WORLD) == 0, "ARMCI_Init_thread_comm");
        }
        use(MPI_COMM_WORLD);
        if (armci_ends) {
            ARMCI_Finalize();
        }
        MPI_Finalize();
        if (!armci_ends) {
            ARMCI_Finalize();
        }
    }
    if (problem != NULL) {
        fprintf(stderr, "rank %d of %d: %s\n", rank, size, problem);
    } else if (rank == 0) {
        printf("%d processes\n", size);
    }
    return problem != NULL;
}
