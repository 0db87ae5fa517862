// SPDX-License-Identifier: BSD-3-Clause
// Method: large non-blocking puts of several contexts to all PEs at once, between other operations. Each context
// completes its own; what it has completed is at its target, though the others' puts may still be under way.
#include <string.h>

#include "check.h"

enum { contexts = 3, parts = 4, part = 100 * 1000 };

static char sources[contexts][parts][part];

static char value_of(int pe, int context, int index) {
    return (char)(1 + pe * 31 + context * 7 + index);
}

static char* place(char* area, int pe, int context, int index) {
    return area + (((size_t)pe * contexts + (size_t)context) * parts + (size_t)index) * part;
}

static void check_part(const char* bytes, char value) {
    CHECK(bytes[0] == value && memcmp(bytes, bytes + 1, part - 1) == 0);  // each byte is as the one before
}

void run_nonblocking(void) {
    shmem_init();
    const int me = shmem_my_pe();
    const int pes = shmem_n_pes();
    char* const area = shmem_calloc((size_t)pes * contexts * parts, part);
    long* const count = shmem_calloc(1, sizeof(long));
    char* const copy = malloc(part);
    shmem_ctx_t context[contexts] = {SHMEM_CTX_DEFAULT};
    for (int c = 1; c < contexts; c++) {
        CHECK(shmem_ctx_create(0, &context[c]) == 0);
    }
    for (int c = 0; c < contexts; c++) {
        for (int i = 0; i < parts; i++) {
            memset(sources[c][i], value_of(me, c, i), part);
        }
    }
    for (int round = 0; round < 5; round++) {
        memset(area, 0, (size_t)pes * contexts * parts * part);
        shmem_barrier_all();
        for (int i = 0; i < parts; i++) {
            for (int c = 0; c < contexts; c++) {
                for (int pe = 0; pe < pes; pe++) {
                    shmem_ctx_putmem_nbi(context[c], place(area, me, c, i), sources[c][i], part, pe);
                }
                shmem_long_atomic_inc(count, (me + i) % pes);
            }
        }
        for (int c = contexts - 1; c >= 0; c--) {
            shmem_ctx_quiet(context[c]);
            for (int i = 0; i < parts; i++) {
                shmem_getmem(copy, place(area, me, c, i), part, (me + 1) % pes);
                check_part(copy, value_of(me, c, i));
            }
        }
        shmem_barrier_all();
        for (int pe = 0; pe < pes; pe++) {
            for (int c = 0; c < contexts; c++) {
                for (int i = 0; i < parts; i++) {
                    check_part(place(area, pe, c, i), value_of(pe, c, i));
                }
            }
        }
    }
    shmem_barrier_all();
    // Destroying a context completes it, and the last puts of the default one are finalize's.
    shmem_ctx_putmem_nbi(context[1], place(area, me, 0, 0), sources[1][0], part, (me + 1) % pes);
    shmem_ctx_destroy(context[1]);
    shmem_getmem(copy, place(area, me, 0, 0), part, (me + 1) % pes);
    check_part(copy, value_of(me, 1, 0));
    shmem_putmem_nbi(place(area, me, 0, 1), sources[0][0], part, (me + 1) % pes);
    shmem_finalize();
    free(copy);
}
