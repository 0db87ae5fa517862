/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Method: a program alone is a job of one process. The installed macros make C of it, and it runs with what they expand to.
 */
MAIN_ENV

struct global_memory {
    LOCKDEC(lock)
    BARDEC(barrier)
    int sum;
} *global;
int processes = 1;

void slave(void) {
    LOCK(global->lock)
    global->sum += 5;
    UNLOCK(global->lock)
    BARRIER(global->barrier, processes)
}

int main(void) {
    MAIN_INITENV(, 10000)
    global = (struct global_memory *)G_MALLOC(sizeof(struct global_memory))
    LOCKINIT(global->lock)
    BARINIT(global->barrier, processes)
    CREATE(slave, processes)
    WAIT_FOR_END(processes)
    if (global->sum != 5) {
        exit(1);
    }
    MAIN_END
}
