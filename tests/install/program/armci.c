/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Method: a program alone is a job of one process. It moves a section of an array, adds to it, takes a number from a
 * counter and adds up messages through the installed headers and library; each result must be the expected one. It
 * names ARMCI's library alone. C and C++ build the same file.
 */
#include <armci.h>
#include <message.h>
#include <parmci.h>
#include <stdio.h>

#define REQUIRE(condition)                                                        \
    do {                                                                          \
        if (!(condition)) {                                                       \
            fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
            return 1;                                                             \
        }                                                                         \
    } while (0)

int main(void) {
    double section[6] = {1, 2, 3, 4, 5, 6}, scale = 2;
    int packed[1] = {3 * sizeof(double)}, spread[1] = {8 * sizeof(double)};
    int count[2] = {3 * sizeof(double), 2};
    char sum[] = "+";
    void* block[1];
    int ticket = 0, number = 7;

    ARMCI_Init();
    REQUIRE(armci_msg_me() == 0 && armci_msg_nproc() == 1);
    REQUIRE(ARMCI_Malloc(block, 16 * sizeof(double)) == 0);
    REQUIRE(ARMCI_PutS(section, packed, block[0], spread, count, 1, 0) == 0);
    REQUIRE(ARMCI_AccS(ARMCI_ACC_DBL, &scale, section, packed, block[0], spread, count, 1, 0) == 0);
    REQUIRE(ARMCI_GetValueDouble((double*)block[0] + 10, 0) == 18);

    REQUIRE(ARMCI_PutValueInt(40, block[0], 0) == 0);
    REQUIRE(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &ticket, block[0], 2, 0) == 0);
    REQUIRE(ticket == 40 && ARMCI_GetValueInt(block[0], 0) == 42 && PARMCI_GetValueInt(block[0], 0) == 42);
    armci_msg_igop(&number, 1, sum);
    REQUIRE(number == 7);

    REQUIRE(ARMCI_Free(block[0]) == 0);
    ARMCI_Finalize();
    return 0;
}
