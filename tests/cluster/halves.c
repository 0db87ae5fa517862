// SPDX-License-Identifier: BSD-3-Clause
// halves <processes> [<wrong> [<parts>]]: the processes of a PMIx launcher make several jobs at once, 2 unless <parts>
// says otherwise. With 2, the processes with even numbers are one job and those with odd numbers the other, each in
// reverse order. The process with the launcher's number <wrong> gives a wrong list.
#include <stdio.h>
#include <stdlib.h>

#include "syncline.h"

static int fail(const char* what) {
    fprintf(stderr, "%s: %s\n", what, syncline_last_error());
    return 1;
}

int main(int argc, char** argv) {
    const char* const number = getenv("PMIX_RANK");
    const int own = number != NULL ? atoi(number) : 0;
    const int all = argc > 1 ? atoi(argv[1]) : 1;
    const int parts = argc > 3 ? atoi(argv[3]) : 2;
    int members[256] = {0}, count = 0, expected = -1;
    for (int process = all - 1; process >= 0 && count < 256; process--) {
        if (process % parts == own % parts) {
            expected = process == own ? count : expected;
            members[count++] = process;
        }
    }
    if (argc > 2 && atoi(argv[2]) == own) {
        members[0] = all;
    }
    const syncline_options_t options = {.struct_size = sizeof(options), .members = members, .member_count = count};
    if (syncline_init(&options) != SYNCLINE_OK) {
        return fail("init");
    }
    syncline_address_t word = 0;
    if (syncline_rank() != expected || syncline_size() != count || syncline_alloc(8, 0, &word) != SYNCLINE_OK) {
        fprintf(stderr, "process %d is PE %d of %d\n", own, syncline_rank(), syncline_size());
        return 1;
    }
    for (int pe = 0; pe < count; pe++) {
        if (syncline_add64(pe, word, (uint64_t)own + 1) != SYNCLINE_OK) {
            return fail("add");
        }
    }
    if (syncline_barrier() != SYNCLINE_OK) {
        return fail("barrier");
    }
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        sum += (uint64_t)members[i] + 1;
    }
    const int good = *(const uint64_t*)syncline_local(word) == sum;
    if (good && expected == 0) {
        printf("a part of %d on %d nodes\n", count, syncline_nodes());
    }
    return syncline_finalize() == SYNCLINE_OK && good ? 0 : 1;
}
