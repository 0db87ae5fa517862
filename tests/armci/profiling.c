// SPDX-License-Identifier: BSD-3-Clause
// Method: a tool defines calls under their own names and goes on under those with a P in front; it sees the program's
// calls and none of the library's own.
#include <message.h>
#include <parmci.h>
#include <stdio.h>

#define CHECK(condition)                                       \
    do {                                                       \
        if (!(condition)) {                                    \
            fprintf(stderr, "%d: %s\n", __LINE__, #condition); \
            ARMCI_Error("profiling", 1);                       \
        }                                                      \
    } while (0)

static int inits_seen, puts_seen, barriers_seen, waits_seen;

int ARMCI_Init(void) {
    inits_seen++;
    return PARMCI_Init();
}

int ARMCI_Put(void* source, void* target, int bytes, int process) {
    puts_seen++;
    return PARMCI_Put(source, target, bytes, process);
}

void ARMCI_Barrier(void) {
    barriers_seen++;
    PARMCI_Barrier();
}

int ARMCI_WaitAll(void) {
    waits_seen++;
    return PARMCI_WaitAll();
}

int main(void) {
    CHECK(ARMCI_Init_args(NULL, NULL) == 0 && inits_seen == 0);
    CHECK(ARMCI_Init() == 0 && inits_seen == 1);
    void* at[64];
    CHECK(ARMCI_Malloc(at, 2 * sizeof(int)) == 0);
    const int next = (armci_msg_me() + 1) % armci_msg_nproc();
    int value = armci_msg_me() + 3;
    CHECK(ARMCI_Put(&value, at[next], sizeof(value), next) == 0 && puts_seen == 1);
    CHECK(ARMCI_PutValueInt(value, (int*)at[next] + 1, next) == 0 && puts_seen == 1);
    ARMCI_Barrier();
    CHECK(barriers_seen == 1 && waits_seen == 0);
    CHECK(ARMCI_GetValueInt(at[next], next) == value && PARMCI_GetValueInt((int*)at[next] + 1, next) == value);
    CHECK(ARMCI_Free(at[armci_msg_me()]) == 0 && barriers_seen == 1);
    ARMCI_Finalize();
    ARMCI_Finalize();
    CHECK(barriers_seen == 1 && waits_seen == 0);
    return 0;
}
