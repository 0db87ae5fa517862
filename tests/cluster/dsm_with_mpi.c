// SPDX-License-Identifier: BSD-3-Clause
// dsm_with_mpi <initialised first> <finalised first>: mpi or dsm. Shared memory, OpenSHMEM and MPI work in one program
// and number the processes alike.
#include <mpi.h>
#include <shmem.h>
#include <stdio.h>
#include <string.h>
#include <syncline/dsm.h>

enum { rounds = 20, page_words = 4096 / sizeof(long) };

static int start_shared_memory(void) {
    shmem_init();
    const int status = syncline_dsm_init(NULL);
    if (status != SYNCLINE_OK) {
        fprintf(stderr, "%s\n", syncline_last_error());
    }
    return status;
}

static void end_shared_memory(void) {
    syncline_dsm_finalize();
    shmem_finalize();
}

int main(int argc, char** argv) {
    const int mpi_begins = argc > 2 && strcmp(argv[1], "mpi") == 0;
    const int mpi_ends = argc > 2 && strcmp(argv[2], "mpi") == 0;
    if (!mpi_begins && start_shared_memory() != SYNCLINE_OK) {
        return 1;
    }
    MPI_Init(&argc, &argv);
    if (mpi_begins && start_shared_memory() != SYNCLINE_OK) {
        return 1;
    }
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long* const symmetric = shmem_calloc(1, sizeof(long));
    volatile long* const shared = syncline_dsm_alloc((size_t)(size + 1) * 4096, SYNCLINE_DSM_CYCLIC);
    if (shared == NULL) {
        fprintf(stderr, "%s\n", syncline_last_error());
        return 1;
    }
    for (int i = 0; i < rounds; i++) {
        syncline_dsm_lock(3);
        shared[0]++;
        syncline_dsm_unlock(3);
        shmem_long_atomic_inc(symmetric, 0);
    }
    shared[(rank + 1) * page_words + rank] = rank + 1;
    syncline_dsm_barrier();
    shmem_barrier_all();
    long sum = 0, all = 0;
    for (int process = 0; process < size; process++) {
        sum += shared[(process + 1) * page_words + process];
    }
    MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    const int good = rank == syncline_dsm_process() && size == syncline_dsm_processes() &&
                     shared[0] == (long)rounds * size && (rank != 0 || *symmetric == (long)rounds * size) &&
                     all == (long)size * size * (size + 1) / 2;
    if (!good) {
        fprintf(stderr, "rank %d of %d: process %d of %d, count %ld, sums %ld\n", rank, size, syncline_dsm_process(),
                syncline_dsm_processes(), shared[0], all);
    } else if (rank == 0) {
        printf("%d processes\n", size);
    }
    if (mpi_ends) {
        MPI_Finalize();
    }
    end_shared_memory();
    if (!mpi_ends) {
        MPI_Finalize();
    }
    return good ? 0 : 1;
}
