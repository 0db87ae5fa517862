// SPDX-License-Identifier: BSD-3-Clause
// armci_with_mpi <initialised first> <finalised first>: mpi or armci. Both in one program have the same numbers, work
// by turns, and the one that stays works after the end of the other.
#include <armci.h>
#include <message.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, failed;

static void expect(const char* what, long found, long expected) {
    if (found != expected) {
        fprintf(stderr, "rank %d of %d: %s is %ld, not %ld\n", rank, size, what, found, expected);
        failed = 1;
    }
}

// Each sends its number to the next one.
static void ring_of_messages(void) {
    int from = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &from, 1, MPI_INT, (rank + size - 1) % size, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect("a message", from, (rank + size - 1) % size);
}

// Each puts its number to the next one, and adds to a counter of process 0.
static void ring_of_puts(long* words[], int turn) {
    long number = 100 * turn + rank;
    long before = -1;
    ARMCI_Put(&number, &words[(rank + 1) % size][0], sizeof(number), (rank + 1) % size);
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, &words[0][1], 1, 0);
    ARMCI_Barrier();
    expect("a word", words[rank][0], 100 * turn + (rank + size - 1) % size);
    expect("the order of the additions", before >= (turn - 1) * size && before < turn * size, 1);
    ARMCI_Barrier();
}

int main(int argc, char** argv) {
    const int mpi_begins = argc > 2 && strcmp(argv[1], "mpi") == 0;
    const int mpi_ends = argc > 2 && strcmp(argv[2], "mpi") == 0;
    if (!mpi_begins) {
        ARMCI_Init();
    }
    MPI_Init(&argc, &argv);
    if (mpi_begins) {
        ARMCI_Init();
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    expect("ARMCI's number", armci_msg_me(), rank);
    expect("ARMCI's number of processes", armci_msg_nproc(), size);
    long** const words = malloc((size_t)size * sizeof(*words));
    ARMCI_Malloc((void**)words, 2 * sizeof(long));
    memset(words[rank], 0, 2 * sizeof(long));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int turn = 1; turn <= 10; turn++) {
        ring_of_puts(words, turn);
        ring_of_messages();
    }
    long sum = 0;
    MPI_Allreduce(&words[rank][0], &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    expect("the sum", sum, 1000L * size + (long)size * (size - 1) / 2);
    if (mpi_ends) {
        MPI_Finalize();
        ring_of_puts(words, 11);
    }
    ARMCI_Free(words[rank]);
    ARMCI_Finalize();
    if (!mpi_ends) {
        ring_of_messages();
        MPI_Finalize();
    }
    free(words);
    if (rank == 0 && !failed) {
        printf("%d processes\n", size);
    }
    return failed;
}
