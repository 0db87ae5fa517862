// SPDX-License-Identifier: BSD-3-Clause
// with_mpi <initialised first> <finalised first>: mpi or shmem. Both in one program have the same numbers, and both
// work.
#include <mpi.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
    const int mpi_begins = argc > 2 && strcmp(argv[1], "mpi") == 0;
    const int mpi_ends = argc > 2 && strcmp(argv[2], "mpi") == 0;
    if (!mpi_begins) {
        shmem_init();
    }
    MPI_Init(&argc, &argv);
    if (mpi_begins) {
        shmem_init();
    }
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long* const word = shmem_calloc(1, sizeof(long));
    shmem_barrier_all();
    shmem_long_p(word, rank + 1, (shmem_my_pe() + 1) % shmem_n_pes());
    shmem_barrier_all();
    long sum = 0;
    MPI_Allreduce(word, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    const int good = rank == shmem_my_pe() && size == shmem_n_pes() && *word == (rank + size - 1) % size + 1 &&
                     sum == (long)size * (size + 1) / 2;
    if (mpi_ends) {
        MPI_Finalize();
    }
    shmem_finalize();
    if (!mpi_ends) {
        MPI_Finalize();
    }
    if (!good) {
        fprintf(stderr, "rank %d of %d: PE %d of %d, word %ld, sum %ld\n", rank, size, shmem_my_pe(), shmem_n_pes(),
                *word, sum);
    } else if (rank == 0) {
        printf("%d processes\n", size);
    }
    return good ? 0 : 1;
}
