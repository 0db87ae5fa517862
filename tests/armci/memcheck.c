// SPDX-License-Identifier: BSD-3-Clause
// Method: the calls that a small ARMCI program makes, for a run under valgrind. A child of fork() that exits leaves its
// parent's job alone.
#include <armci.h>
#include <message.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                       \
    do {                                                       \
        if (!(condition)) {                                    \
            fprintf(stderr, "%d: %s\n", __LINE__, #condition); \
            ARMCI_Error("memcheck", 1);                        \
        }                                                      \
    } while (0)

static int depth = 0;

int main(int argc, char** argv) {
    armci_msg_init(&argc, &argv);
    ARMCI_Init();
    const int me = armci_msg_me(), size = armci_msg_nproc(), next = (me + 1) % size;
    void* at[64];
    CHECK(ARMCI_Malloc(at, 2 * sizeof(long)) == 0);
    ((long*)at[me])[0] = ((long*)at[me])[1] = 0;
    ARMCI_Barrier();
    const pid_t child = fork();
    if (child == 0) {
        depth++;
        exit(5);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5 && depth == 0);
    long value = me + 10, old = 0;
    CHECK(ARMCI_Put(&value, at[next], sizeof(value), next) == 0);
    CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, (long*)at[0] + 1, 1, 0) == 0);
    ARMCI_Barrier();
    CHECK(((long*)at[me])[0] == (me + size - 1) % size + 10);
    CHECK(ARMCI_Get(at[next], &value, sizeof(value), next) == 0 && value == me + 10);
    CHECK(me != 0 || ((long*)at[0])[1] == size);
    ARMCI_Free(at[me]);
    ARMCI_Finalize();
    armci_msg_finalize();
    return 0;
}
