// SPDX-License-Identifier: BSD-3-Clause
// A tracer, as a debugger is: the library cannot stop a thread that is traced.
#pragma once

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_traced(void) {
    char text[128];
    int tracer = 0;
    FILE* const status = fopen("/proc/thread-self/status", "r");
    while (status != NULL && fgets(text, sizeof(text), status) != NULL) {
        if (strncmp(text, "TracerPid:", 10) == 0) {
            tracer = atoi(text + 10);
        }
    }
    if (status != NULL) {
        fclose(status);
    }
    return tracer != 0;
}

// Must be called before shmem_init(). From then on a child traces the calling thread, `thread`, until the thread ends.
static void let_a_child_trace(pid_t thread) {
    const pid_t tracer = fork();
    if (tracer == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (int tries = 0; ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0 && tries < 1000; tries++) {
            usleep(1000);  // waits until the parent has named this process as its tracer, which Yama demands
        }
        int status = 0;
        while (waitpid(thread, &status, __WALL) == thread && WIFSTOPPED(status)) {
            const long signal = status >> 16 == 0 ? WSTOPSIG(status) : 0;
            ptrace(PTRACE_CONT, thread, NULL, (void*)signal);
        }
        _exit(0);
    }
    prctl(PR_SET_PTRACER, tracer, 0, 0, 0);
    for (int tries = 0; !is_traced() && tries < 1000; tries++) {
        usleep(1000);
    }
}
