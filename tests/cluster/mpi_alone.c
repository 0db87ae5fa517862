// SPDX-License-Identifier: BSD-3-Clause
// mpi_alone [<what> [<rank>]]: a program with MPI alone. Rank 0 prints how many there are. That rank (1 unless given)
//
//   leaves, fails, is-killed   ends before MPI_Init, with 0, with 3 or by a signal
//   exits, crashes, aborts     ends after it: with 0, by a signal, by MPI_Abort(7)
//   stays                      goes through barriers with the others for ever
//   number <n>                 of the job's programs this one has the number n, as MPI sees it
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void end_before(const char* what) {
    if (strcmp(what, "leaves") == 0 || strcmp(what, "fails") == 0) {
        _exit(strcmp(what, "fails") == 0 ? 3 : 0);
    }
    if (strcmp(what, "is-killed") == 0) {
        raise(SIGKILL);
    }
}

static void end_after(const char* what) {
    if (strcmp(what, "exits") == 0) {
        _exit(0);
    }
    if (strcmp(what, "crashes") == 0) {
        raise(SIGKILL);
    }
    if (strcmp(what, "aborts") == 0) {
        MPI_Abort(MPI_COMM_WORLD, 7);
    }
}

int main(int argc, char** argv) {
    const char* const what = argc > 1 ? argv[1] : "";
    const int special = argc > 2 ? atoi(argv[2]) : 1;
    const char* const number = getenv("SYNCLINE_RANK");
    if (number != NULL && atoi(number) == special) {
        end_before(what);
    }
    MPI_Init(&argc, &argv);
    int rank, size, sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%d processes\n", size);
        fflush(stdout);
    }
    if (rank == special) {
        end_after(what);
    }
    if (strcmp(what, "number") == 0) {
        int* program = NULL;
        int found = 0;
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &program, &found);
        sum += found != 0 && *program == special ? 0 : 1;
    }
    while (strcmp(what, "stays") == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return sum != size * (size - 1) / 2;
}
