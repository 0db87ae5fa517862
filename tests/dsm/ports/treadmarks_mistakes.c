/* SPDX-License-Identifier: BSD-3-Clause */
/* treadmarks_mistakes MISTAKE [-- OPTION...]: a TreadMarks program that makes it; `mistakes` lists what it is to say.
 */
#include <Tmk.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Process 1 has lock 1 and ends; the others wait for what it does no more. */
static void leave_others(const char* how) {
    if (Tmk_proc_id == 1) {
        Tmk_lock_acquire(1);
    }
    Tmk_barrier(0);
    if (Tmk_proc_id == 1) {
        if (strstr(how, "_quick") != NULL) {
            quick_exit(0);
        } else if (strstr(how, "_at_once") != NULL) {
            _exit(0);
        } else if (strstr(how, "_properly") != NULL) {
            Tmk_exit(0);
        }
        exit(0);
    }
    if (strstr(how, "lock") != NULL) {
        Tmk_lock_acquire(1);
    } else if (strstr(how, "condition") != NULL) {
        Tmk_lock_acquire(2);
        Tmk_lock_cond_wait(2, 0);
    }
}

/* The end of a child that a process makes is not the process's; nor has the child anything of the job. */
static void make_child(const char* how) {
    int status = 0;
    int* shared = (int*)Tmk_malloc(sizeof(int));
    pid_t child;
    *shared = 5;
    child = Tmk_proc_id == 1 ? fork() : -1;
    if (child == 0) {
        if (strstr(how, "_waits") != NULL) {
            Tmk_barrier(0);
        } else if (strstr(how, "_reads") != NULL) {
            exit(*shared);
        }
        exit(strstr(how, "_fails") != NULL ? 3 : 0);
    }
    if (child > 0) {
        waitpid(child, &status, 0);
        printf("the child's status is %d\n", status);
        usleep(300000);
        *shared = 7;
        Tmk_distribute(shared, sizeof(*shared));
    }
    Tmk_barrier(1);
    Tmk_exit(*shared != (Tmk_proc_id == 1 ? 7 : 5));
}

int main(int argc, char** argv) {
    const char* mistake = argv[1];
    int local = 0;
    if (strcmp(mistake, "early") == 0) {
        Tmk_barrier(0);
    }
    Tmk_startup(argc, argv);
    if (strcmp(mistake, "twice") == 0) {
        Tmk_startup(argc, argv);
    } else if (strcmp(mistake, "lock") == 0) {
        Tmk_lock_acquire(TMK_NLOCKS);
    } else if (strcmp(mistake, "release") == 0) {
        Tmk_lock_release(3);
    } else if (strcmp(mistake, "barrier") == 0) {
        Tmk_barrier(TMK_NBARRIERS);
    } else if (strcmp(mistake, "condition") == 0) {
        Tmk_lock_acquire(1);
        Tmk_lock_cond_wait(1, TMK_NCONDS);
    } else if (strcmp(mistake, "distribute") == 0) {
        Tmk_distribute(&local, sizeof(local));
    } else if (strcmp(mistake, "free") == 0) {
        Tmk_free(&local);
    } else if (strcmp(mistake, "errexit") == 0 && Tmk_proc_id == 1) {
        Tmk_errexit("the program's own sentence, %d\n", 7);
    } else if (strcmp(mistake, "perrexit") == 0 && Tmk_proc_id == 1) {
        errno = ENOENT;
        Tmk_perror("not yet");
        errno = ENOENT;
        Tmk_perrexit("the file %s", "x");
    } else if (strcmp(mistake, "exit") == 0 && Tmk_proc_id == 1) {
        Tmk_exit(9);
    } else if (strcmp(mistake, "return") == 0 && Tmk_proc_id == 1) {
        return 8;
    }
    if (strncmp(mistake, "left", 4) == 0) {
        leave_others(mistake + 4);
    } else if (strncmp(mistake, "child", 5) == 0) {
        make_child(mistake + 5);
    }
    if (strcmp(mistake, "release") == 0 || strcmp(mistake, "options") == 0) {
        Tmk_exit(0);
    }
    Tmk_barrier(0);
    Tmk_exit(0);
}
