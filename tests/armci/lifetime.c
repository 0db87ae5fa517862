// SPDX-License-Identifier: BSD-3-Clause
// Method: a whole life in C. `lifetime` uses messages before ARMCI_Init() and after ARMCI_Finalize(), as a program does
// whose message layer begins first, and initialises ARMCI twice; `lifetime ends` ends without armci_msg_finalize(), and
// `lifetime messages` with that alone.
#include <message.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                       \
    do {                                                       \
        if (!(condition)) {                                    \
            fprintf(stderr, "%d: %s\n", __LINE__, #condition); \
            ARMCI_Error("lifetime", 1);                        \
        }                                                      \
    } while (0)

static void pass_round(int tag) {
    const int me = armci_msg_me();
    const int size = armci_msg_nproc();
    int value = me;
    int length = 0;
    armci_msg_snd(tag, &value, sizeof(value), (me + 1) % size);
    armci_msg_rcv(tag, &value, sizeof(value), &length, (me + size - 1) % size);
    CHECK(value == (me + size - 1) % size && length == sizeof(value));
}

int main(int argc, char** argv) {
    const int ends = argc > 1 && strcmp(argv[1], "ends") == 0;
    const int messages = argc > 1 && strcmp(argv[1], "messages") == 0;
    if (ARMCI_Initialized() != 0) {
        return 1;
    }
    armci_msg_init(&argc, &argv);
    CHECK(ARMCI_Initialized() == 0);
    pass_round(1);
    CHECK(ARMCI_Init_args(&argc, &argv) == 0 && ARMCI_Init() == 0 && ARMCI_Initialized() == 1);
    void* at[64];
    CHECK(ARMCI_Malloc(at, sizeof(int)) == 0);
    int value = armci_msg_me() + 10;
    const int next = (armci_msg_me() + 1) % armci_msg_nproc();
    CHECK(ARMCI_Put(&value, at[next], sizeof(value), next) == 0);
    ARMCI_Finalize();
    CHECK(ARMCI_Initialized() == 1);
    ARMCI_Barrier();
    CHECK(*(int*)at[armci_msg_me()] == (armci_msg_me() + armci_msg_nproc() - 1) % armci_msg_nproc() + 10);
    if (!messages) {
        ARMCI_Finalize();
        CHECK(ARMCI_Initialized() == 0);
    }
    pass_round(2);
    if (!ends) {
        armci_msg_finalize();
    }
    return 0;
}
