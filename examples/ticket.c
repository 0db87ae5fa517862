// SPDX-License-Identifier: BSD-3-Clause
// Each process draws a ticket from a counter at process 0. README shows this program; a test compares the two texts.
//
//      syncline run -n 8 -N 4 ticket
#include <stdio.h>
#include <syncline.h>

static void must(int status) {
    if (status != SYNCLINE_OK) {
        fprintf(stderr, "%s\n", syncline_last_error());
        syncline_abort(1);
    }
}

int main(void) {
    syncline_address_t counter;
    uint64_t ticket, drawn;
    must(syncline_init(NULL));
    must(syncline_alloc(sizeof(uint64_t), 0, &counter)); /* the same address on every process, zero */
    must(syncline_fetch_add64(0, counter, 1, &ticket));  /* at process 0, which takes no part */
    must(syncline_barrier());
    must(syncline_get(0, counter, &drawn, sizeof(drawn)));
    printf("process %d drew ticket %d of %d\n", syncline_rank(), (int)ticket, (int)drawn);
    must(syncline_finalize());
    return 0;
}
