// SPDX-License-Identifier: BSD-3-Clause
// Calls that make no sense (1.5, annex on undefined behaviour): `errors <what>` makes one of them at PE 0, while the
// others wait in a barrier; errors.sh looks at what is said and that the job has failed.
#include <string.h>

#include "check.h"

static long word[2];

int main(int argc, char** argv) {
    const char* const what = argc > 1 ? argv[1] : "";
    shmem_init();
    const int pes = shmem_n_pes();
    long on_stack = 0;
    if (shmem_my_pe() == 0) {
        if (strcmp(what, "pe") == 0) {
            shmem_long_p(&word[0], 1, pes);
        } else if (strcmp(what, "negative") == 0) {
            (void)shmem_long_atomic_fetch_inc(&word[0], -1);
        } else if (strcmp(what, "address") == 0) {
            shmem_long_put(&on_stack, &word[0], 1, pes - 1);
        } else if (strcmp(what, "alignment") == 0) {
            shmem_long_atomic_inc((long*)((char*)word + 3), pes - 1);
        } else if (strcmp(what, "context") == 0) {
            shmem_ctx_long_p(SHMEM_CTX_INVALID, &word[0], 1, 0);
        }
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
