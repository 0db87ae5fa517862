/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Method: a program alone is a job of one PE. It puts, gets and fetch-adds to itself through the installed
 * header and library; every call must succeed with the expected value. C and C++ build the same file.
 */
#include <stdio.h>
#include <syncline.h>

#define REQUIRE(condition)                                                                                    \
    do {                                                                                                      \
        if (!(condition)) {                                                                                   \
            fprintf(stderr, "line %d: %s does not hold (%s)\n", __LINE__, #condition, syncline_last_error()); \
            return 1;                                                                                         \
        }                                                                                                     \
    } while (0)

int main(void) {
    REQUIRE(syncline_init(NULL) == SYNCLINE_OK);
    REQUIRE(syncline_rank() == 0 && syncline_size() == 1);

    syncline_address_t words = SYNCLINE_ADDRESS_NONE;
    REQUIRE(syncline_alloc(64, 0, &words) == SYNCLINE_OK);

    const uint64_t written = 40;
    REQUIRE(syncline_put(0, words, &written, sizeof(written)) == SYNCLINE_OK);
    uint64_t old = 0;
    REQUIRE(syncline_fetch_add64(0, words, 2, &old) == SYNCLINE_OK);
    REQUIRE(old == 40);
    /* Not inline: through the library, whatever the header does. */
    const uint64_t one = 1;
    REQUIRE(syncline_atomic(SYNCLINE_ADD | SYNCLINE_64 | SYNCLINE_FETCH, 0, words, &one, NULL, &old) == SYNCLINE_OK);
    REQUIRE(old == 42);
    uint64_t read = 0;
    REQUIRE(syncline_get(0, words, &read, sizeof(read)) == SYNCLINE_OK);
    REQUIRE(read == 43);

    REQUIRE(syncline_free(words) == SYNCLINE_OK);
    REQUIRE(syncline_finalize() == SYNCLINE_OK);
    return 0;
}
