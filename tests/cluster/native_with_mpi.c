// SPDX-License-Identifier: BSD-3-Clause
// native_with_mpi <initialised first> <finalised first>: mpi or native. As armci_with_mpi, by the calls of syncline.h.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <syncline.h>

static int rank, size, failed;

static void expect(const char* what, long found, long expected) {
    if (found != expected) {
        fprintf(stderr, "rank %d of %d: %s is %ld, not %ld\n", rank, size, what, found, expected);
        failed = 1;
    }
}

// Each puts its number to the next one.
static void ring_of_puts(syncline_address_t word, int turn) {
    const long number = 100 * turn + rank;
    expect("a put", syncline_put((rank + 1) % size, word, &number, sizeof(number)), SYNCLINE_OK);
    expect("a barrier", syncline_barrier(), SYNCLINE_OK);
    expect("a word", *(const long*)syncline_local(word), 100 * turn + (rank + size - 1) % size);
    expect("a barrier", syncline_barrier(), SYNCLINE_OK);
}

static void sum_of_numbers(void) {
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect("the sum", sum, size * (size - 1) / 2);
}

int main(int argc, char** argv) {
    const int mpi_begins = argc > 2 && strcmp(argv[1], "mpi") == 0;
    const int mpi_ends = argc > 2 && strcmp(argv[2], "mpi") == 0;
    if (!mpi_begins) {
        expect("syncline_init", syncline_init(NULL), SYNCLINE_OK);
    }
    MPI_Init(&argc, &argv);
    if (mpi_begins) {
        expect("syncline_init", syncline_init(NULL), SYNCLINE_OK);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    expect("the PE's number", syncline_rank(), rank);
    expect("the number of PEs", syncline_size(), size);
    syncline_address_t word = 0;
    expect("syncline_alloc", syncline_alloc(sizeof(long), sizeof(long), &word), SYNCLINE_OK);
    for (int turn = 1; turn <= 10; turn++) {
        ring_of_puts(word, turn);
        sum_of_numbers();
    }
    if (mpi_ends) {
        MPI_Finalize();
        ring_of_puts(word, 11);
    }
    expect("syncline_finalize", syncline_finalize(), SYNCLINE_OK);
    if (!mpi_ends) {
        sum_of_numbers();
        MPI_Finalize();
    }
    if (rank == 0 && !failed) {
        printf("%d processes\n", size);
    }
    return failed;
}
