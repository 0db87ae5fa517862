/* SPDX-License-Identifier: BSD-3-Clause */
/* Method: a strict C11 program that knows include/syncline.h only: it compiles without a warning, and one call of each
 * family does what it should in C as it does in C++. */
#include <stdio.h>
#include <string.h>
#include <syncline.h>

static int check(int holds, const char* what) {
    if (!holds) {
        fprintf(stderr, "c_program: PE %d: not so: %s; last error: '%s'\n", syncline_rank(), what,
                syncline_last_error());
    }
    return holds;
}

#define CHECK(condition) ok &= check((condition), #condition)

int main(void) {
    int ok = 1;
    syncline_options_t options;
    memset(&options, 0, sizeof(options));
    options.struct_size = sizeof(options);
    options.wait_mode = SYNCLINE_WAIT_POLL;
    if (!check(syncline_init(&options) == SYNCLINE_OK, "init")) {
        return 1;
    }
    const int size = syncline_size();
    const int next = (syncline_rank() + 1) % size;
    syncline_address_t words = SYNCLINE_ADDRESS_NONE;
    CHECK(syncline_alloc(64, 0, &words) == SYNCLINE_OK);
    const uint64_t* mine = (const uint64_t*)syncline_local(words);
    uint64_t old = 9;
    uint32_t old32 = 9;
    syncline_pair_t pair = {1, 2};
    syncline_request_t request = 0;
    CHECK(syncline_fetch_add64(next, words, 5, &old) == SYNCLINE_OK && old == 0);
    CHECK(syncline_fetch_xor32(next, words + 8, 6, &old32) == SYNCLINE_OK && old32 == 0);
    CHECK(syncline_cas64(next, words + 16, 0, 7, &old) == SYNCLINE_OK && old == 0);
    CHECK(syncline_swap64_nb(next, words + 24, 8, &old, 0, &request) == SYNCLINE_OK);
    CHECK(syncline_wait(request) == SYNCLINE_OK && old == 0);
    CHECK(syncline_swap128(next, words + 32, pair, &pair) == SYNCLINE_OK && pair.low == 0 && pair.high == 0);
    CHECK(syncline_store64(next, words + 48, 9) == SYNCLINE_OK);
    CHECK(syncline_or32(next, words + 56, 10) == SYNCLINE_OK);
    const syncline_piece_t pieces[2] = {{40, 4}, {28, 4}};
    const float numbers[4] = {1.5F, 2.5F, 0, 0};
    uint32_t halves[2] = {9, 9};
    CHECK(syncline_get_pieces(next, words, pieces, 2, halves) == SYNCLINE_OK && halves[0] == 2 && halves[1] == 0);
    CHECK(syncline_put_pieces(next, words, pieces, 2, halves) == SYNCLINE_OK);
    CHECK(syncline_accumulate(next, words, SYNCLINE_INT32, halves, 0) == SYNCLINE_OK);
    CHECK(syncline_accumulate_pieces(next, words, SYNCLINE_FLOAT, pieces, 0, numbers) == SYNCLINE_OK);
    CHECK(syncline_barrier() == SYNCLINE_OK);
    const uint64_t expected[8] = {5, 6, 7, 8, 1, 2, 9, 10};
    CHECK(memcmp(mine, expected, sizeof(expected)) == 0);
    CHECK(syncline_wait_until64(mine, SYNCLINE_EQ, 5, -1) == SYNCLINE_OK);
    CHECK(syncline_barrier() == SYNCLINE_OK);
    CHECK(syncline_free(words) == SYNCLINE_OK);
    CHECK(syncline_finalize() == SYNCLINE_OK);
    return ok ? 0 : 1;
}
