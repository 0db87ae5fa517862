// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM 1.5, sections 9.1 and 9.2: set-up, queries, accessibility, threads.
#include <string.h>

#include "check.h"

static long in_data = 7;
static long in_bss[4];

void run_setup(void) {
    int provided = -1;
    if (shmem_init_thread(SHMEM_THREAD_SERIALIZED, &provided) != 0) {
        exit(1);
    }
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    CHECK(provided >= SHMEM_THREAD_SERIALIZED);
    CHECK(me >= 0 && me < pes);
    int level = -1;
    shmem_query_thread(&level);
    CHECK(level == provided);

    int major = 0, minor = 0;
    char name[SHMEM_MAX_NAME_LEN];
    shmem_info_get_version(&major, &minor);
    shmem_info_get_name(name);
    CHECK(major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION && strcmp(name, SHMEM_VENDOR_STRING) == 0);

    long on_stack = 0;
    long* const on_heap = shmem_malloc(sizeof(long));
    CHECK(shmem_pe_accessible(pes - 1) == 1 && shmem_pe_accessible(pes) == 0 && shmem_pe_accessible(-1) == 0);
    CHECK(shmem_addr_accessible(&in_data, 0) == 1 && shmem_addr_accessible(in_bss, 0) == 1);
    CHECK(shmem_addr_accessible(on_heap, 0) == 1 && shmem_addr_accessible(&on_stack, 0) == 0);

    // Where memory is mapped, a store through the pointer is the other's store.
    const int next = (me + 1) % pes;
    long* const theirs = shmem_ptr(in_bss, next);
    CHECK(shmem_ptr(in_bss, me) == NULL || shmem_ptr(in_bss, me) == in_bss || *in_bss == 0);
    if (theirs != NULL) {
        theirs[1] = 100 + me;
    } else {
        shmem_long_p(&in_bss[1], 100 + me, next);
    }
    shmem_barrier_all();
    CHECK(in_bss[1] == 100 + (me + pes - 1) % pes && in_data == 7);
    shmem_free(on_heap);
    shmem_finalize();
}
