// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM and the native interface in one program.
//
// Method: `mixed` begins with syncline_init(): the job is the program's own, before, between and after two lives of
// OpenSHMEM, and cannot be finalized from under it. `mixed shmem` begins with shmem_init(): native calls are for the
// times between that and the last shmem_finalize().
#include <string.h>
#include <syncline.h>

#include "check.h"

static long variable = 3;

#define REQUIRE(condition)                                                                              \
    do {                                                                                                \
        if (!(condition)) {                                                                             \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, syncline_last_error()); \
            syncline_abort(1);                                                                          \
        }                                                                                               \
    } while (0)

static void live(void) {
    shmem_init();
    const int next = (shmem_my_pe() + 1) % shmem_n_pes();
    CHECK(shmem_my_pe() == syncline_rank() && shmem_n_pes() == syncline_size());
    CHECK(shmem_long_g(&variable, next) == 3);
    long* const word = shmem_calloc(1, sizeof(long));
    shmem_long_atomic_inc(word, next);
    REQUIRE(syncline_finalize() == SYNCLINE_ERR_BUSY);
    shmem_barrier_all();
    CHECK(*word == 1);
    shmem_finalize();
}

static void native_first(void) {
    syncline_address_t counter;
    uint64_t before = 0, now = 0;
    REQUIRE(syncline_init(NULL) == SYNCLINE_OK);
    REQUIRE(syncline_alloc(sizeof(uint64_t), 0, &counter) == SYNCLINE_OK);
    for (int life = 0; life < 2; life++) {
        REQUIRE(syncline_fetch_add64(0, counter, 1, &before) == SYNCLINE_OK);
        live();
    }
    REQUIRE(syncline_barrier() == SYNCLINE_OK);
    REQUIRE(syncline_get(0, counter, &now, sizeof(now)) == SYNCLINE_OK);
    REQUIRE(now == 2u * (unsigned)syncline_size());
    REQUIRE(syncline_finalize() == SYNCLINE_OK);
}

static void shmem_first(void) {
    for (int life = 0; life < 2; life++) {
        live();
        REQUIRE(syncline_rank() == SYNCLINE_ERR_NOT_INITIALIZED);
        REQUIRE(strstr(syncline_last_error(), "the job was finalized") != NULL);
        REQUIRE(syncline_finalize() == SYNCLINE_ERR_NOT_INITIALIZED);
    }
}

int main(int argc, char** argv) {
    if (argc > 1 && strcmp(argv[1], "shmem") == 0) {
        shmem_first();
    } else {
        native_first();
    }
    return 0;
}
