/* SPDX-License-Identifier: BSD-3-Clause */
/* mistakes MISTAKE: a PARMACS program that makes it; the script of that name lists what it is to say. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

MAIN_ENV

struct global_memory {
    LOCKDEC(lock)
    LOCKDEC(other)
    BARDEC(barrier)
    MONDEC(monitor)
    PAUSEDEC(pause)
} *global;
int status;

void wait_for_ever(void) { BARRIER(global->barrier, 2) }

void wait_for_many(void) { BARRIER(global->barrier, 100) }

void end_with_status(void) { exit(status); }

void end(void) {}

/* What a child does is its own, also where CREATE has made its parent, which runs a function that exit(0) ends. */
void make_child(void) {
    int ended = 0;
    pid_t child;
    status = 1;
    child = fork();
    if (child == 0) {
        status = 2;
        exit(0);
    }
    if (waitpid(child, &ended, 0) != child || ended != 0 || status != 1) {
        exit(9);
    }
}

int main(int argc, char **argv) {
    const char *mistake = argv[1];
    int i;
    if (argc > 2) {
        return 5; /* in front of MAIN_INITENV */
    }
    MAIN_INITENV(, 1000)
    global = (struct global_memory *)G_MALLOC(sizeof(struct global_memory));
    LOCKINIT(global->lock)
    BARINIT(global->barrier)
    MONINIT(global->monitor, 2)
    if (strcmp(mistake, "create") == 0) {
        for (i = 0; i < 3; i++) {
            CREATE(wait_for_ever)
        }
    } else if (strcmp(mistake, "create_together") == 0) {
        CREATE(end, 4)
    } else if (strcmp(mistake, "barrier") == 0) {
        wait_for_many();
    } else if (strcmp(mistake, "lock") == 0) {
        LOCK(global->other)
    } else if (strcmp(mistake, "lock_copied") == 0) {
        memcpy(&global->other, &global->lock, sizeof(global->lock));
        LOCK(global->other)
    } else if (strcmp(mistake, "unlock") == 0) {
        UNLOCK(global->lock)
    } else if (strcmp(mistake, "pause") == 0) {
        WAITPAUSE(global->pause)
    } else if (strcmp(mistake, "queue") == 0) {
        MENTER(global->monitor)
        DELAY(global->monitor, 2)
    } else if (strcmp(mistake, "monitor") == 0) {
        MONINIT(global->monitor, 17)
    } else if (strcmp(mistake, "slave_exit") == 0) {
        status = 3;
        CREATE(end_with_status)
        WAIT_FOR_END(1)
    } else if (strcmp(mistake, "exit") == 0) {
        CREATE(wait_for_ever)
        exit(4);
    } else if (strcmp(mistake, "leave") == 0) {
        CREATE(wait_for_ever)
        exit(0);
    } else if (strcmp(mistake, "children") == 0) {
        make_child();
        CREATE(make_child)
        WAIT_FOR_END(1)
        CREATE(make_child)
        WAIT_FOR_END(1)
    } else if (strcmp(mistake, "memory") == 0) {
        if (G_MALLOC_F((size_t)1 << 40) == NULL) {
            exit(6);
        }
    } else if (strcmp(mistake, "free") == 0) {
        G_FREE(&status)
    }
    MAIN_END
}
