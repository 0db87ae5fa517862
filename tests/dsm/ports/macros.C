/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * macros PROCESSES [SPARE]
 *
 * Method: a program as those of SPLASH are, whose processes check each macro of synchronisation and memory: shared counters
 * that a lost exclusion or a lost update makes wrong, and orders that a wait which comes through too early breaks. The number of
 * processes may be less than the job's.
 */
#include <string.h>

MAIN_ENV

#include "macros.h"

int checks_made = 0;
struct global_memory *global;
int processes;
LOCKDEC(private_lock)
BARDEC(private_barrier)
GSDEC(private_subscripts)

static void check_locks(int me) {
    int turn, other, sum = 0;
    for (turn = 0; turn < 50; turn++) {
        LOCK(global->lock)
        global->locked++;
        UNLOCK(global->lock)
        LOCK(private_lock);
        global->privately_locked++;
        UNLOCK(private_lock);
        other = (me + turn) % LOCKS;
        ALOCK(global->locks, other)
        global->counters[other]++;
        AULOCK(global->locks, other)
        NLOCK(global->lock);
        global->locked++;
        NUNLOCK(global->lock);
    }
    BARRIER(global->barrier, processes)
    CHECK(global->locked == 100 * processes);
    CHECK(global->privately_locked == 50 * processes);
    for (other = 0; other < LOCKS; other++) {
        sum += global->counters[other];
    }
    CHECK(sum == 50 * processes);
    BARRIER(global->barrier, processes)
}

/* Each process writes in front of a barrier and reads all others' behind it. */
static void check_barriers(int me) {
    int turn, other;
    for (turn = 1; turn <= 20; turn++) {
        global->seen[me] = turn;
        if (turn % 3 == 0) {
            BARRIER(global->barrier, processes)
        } else if (turn % 3 == 1) {
            BARRIER(global->counted_barrier)
        } else {
            BARRIER(private_barrier, processes)
        }
        for (other = 0; other < processes; other++) {
            CHECK(global->seen[other] == turn);
        }
        BARRIER(global->barrier, processes)
    }
    BARRIER(global->uncounted_barrier)
    BARINCLUDE(global->barrier)
}

/* A number goes around: each process waits for the one in front of it. */
static void check_pauses(int me) {
    int round, next = (me + 1) % processes;
    for (round = 0; round < 10; round++) {
        if (me == 0) {
            global->number = 0;
            if (processes > 1) {
                SETPAUSE(global->pauses, 1)
            }
        }
        if (processes > 1) {
            WAITPAUSE(global->pauses, me)
            CLEARPAUSE(global->pauses, me)
        }
        if (me == 0) {
            CHECK(global->number == processes - 1);
        } else {
            global->number++;
            SETPAUSE(global->pauses, next)
        }
        BARRIER(global->barrier, processes)
    }
    /* A pause that stays set lets all through. */
    if (me == 0) {
        global->number = 77;
        SETPAUSE(global->pause)
        SETPAUSE(global->pause)
    }
    WAITPAUSE(global->pause)
    CHECK(global->number == 77);
    BARRIER(global->barrier, processes)
    if (me == 0) {
        CLEARPAUSE(global->pause)
    }
    BARRIER(global->barrier, processes)
}

/* EVENT fills a slot when it is empty, PAUSE empties it when it is full: nothing is lost or taken twice. */
static void check_slot(int me) {
    int turn, taken = 0;
    for (turn = 1; turn <= 10; turn++) {
        if (me == 0) {
            int other;
            for (other = 1; other < processes; other++) {
                EVENT(global->slot)
                global->offered++;
            }
        } else {
            PAUSE(global->slot)
            taken++;
        }
    }
    LOCK(global->lock)
    global->taken += taken;
    UNLOCK(global->lock)
    BARRIER(global->barrier, processes)
    CHECK(global->taken == 10 * (processes - 1));
    CHECK(global->offered == global->taken);
    BARRIER(global->barrier, processes)
}

static void check_conditions(int me) {
    int turn;
    for (turn = 0; turn < 10; turn++) {
        LOCK(global->lock)
        while (global->turn % processes != me) {
            CONDVARWAIT(global->conditions[me], global->lock)
        }
        CHECK(global->turn == turn * processes + me);
        global->turn++;
        if (turn % 2 == 0) {
            CONDVARSIGNAL(global->conditions[(me + 1) % processes])
        } else {
            CONDVARBCAST(global->conditions[(me + 1) % processes])
        }
        UNLOCK(global->lock)
    }
    BARRIER(global->barrier, processes)
}

static void check_condition_by_array(int me) {
    ALOCK(global->locks, 1)
    if (me == 0) {
        global->opened = 1;
        CONDVARBCAST(global->conditions[0])
    }
    while (!global->opened) {
        CONDVARWAIT(global->conditions[0], AGETL(global->locks, 1))
    }
    AULOCK(global->locks, 1)
    BARRIER(global->barrier, processes)
}

/* Each subscript goes to one process, twice over. */
static void check_subscripts(int me) {
    int round, i;
    for (round = 1; round <= 2; round++) {
        for (;;) {
            GETSUB(global->subscripts, i, SUBSCRIPTS - 1, processes)
            if (i < 0) {
                break;
            }
            CHECK(i < SUBSCRIPTS);
            global->given[i]++;
        }
        for (i = 0; i < SUBSCRIPTS; i++) {
            CHECK(global->given[i] == round);
        }
        BARRIER(global->barrier, processes)
    }
    for (;;) {
        NU_GETSUB(private_subscripts, i, 9, processes);
        if (i < 0) {
            break;
        }
        LOCK(global->lock)
        global->privately_given += i;
        UNLOCK(global->lock)
    }
    CHECK(global->privately_given == 45);
    BARRIER(global->barrier, processes)
    if (me == 0) { /* without a number of processes, the first that gets -1 begins anew */
        GETSUB(global->subscripts, i, 0)
        CHECK(i == 0);
        GETSUB(global->subscripts, i, 0)
        CHECK(i == -1);
        GETSUB(global->subscripts, i, 0)
        CHECK(i == 0);
    }
    BARRIER(global->barrier, processes)
}

/* Two at most are inside. */
static void check_semaphores(void) {
    int turn;
    for (turn = 0; turn < 20; turn++) {
        SEMP(global->semaphore)
        LOCK(global->lock)
        CHECK(++global->inside <= 2);
        UNLOCK(global->lock)
        LOCK(global->lock)
        global->inside--;
        UNLOCK(global->lock)
        SEMV(global->semaphore)
    }
    BARRIER(global->barrier, processes)
}

/* A barrier as ANL's monitors make it: the last process wakes one, which wakes the next. */
static void check_monitors(int me) {
    int turn, other;
    for (turn = 1; turn <= 10; turn++) {
        global->seen[me] = -turn;
        MENTER(global->monitor)
        if (++global->entered % processes != 0) {
            DELAY(global->monitor, 1)
        }
        global->left++;
        if (global->left % processes == 0) {
            MEXIT(global->monitor)
        } else {
            CONTINUE(global->monitor, 1)
        }
        for (other = 0; other < processes; other++) {
            CHECK(global->seen[other] == -turn);
        }
        BARRIER(global->barrier, processes)
    }
    MENTER(global->monitor)
    CONTINUE(global->monitor, 0) /* no process waits: leaves it */
    MENTER(global->monitor)
    MEXIT(global->monitor)
    BARRIER(global->barrier, processes)
}

/* Memory that one process allocates, the next uses and the one behind that gives back. */
static void check_memory(int me) {
    int i;
    char *piece = (char *)NU_MALLOC(10000, me);
    for (i = 0; i < 10000; i++) {
        CHECK(piece[i] == 0);
    }
    memset(piece, me + 1, 10000);
    global->pieces[me] = piece;
    BARRIER(global->barrier, processes)
    piece = global->pieces[(me + 1) % processes];
    for (i = 0; i < 10000; i += 500) {
        CHECK(piece[i] == (me + 1) % processes + 1);
    }
    BARRIER(global->barrier, processes)
    NU_FREE(global->pieces[(me + 2) % processes])
    piece = (char *)G_MALLOC_F(0);
    CHECK(piece != NULL);
    G_FREE(piece)
    BARRIER(global->barrier, processes)
}

void slave(void) {
    int me, number;
    unsigned long before, after;
    LOCK(global->lock)
    me = global->next++;
    UNLOCK(global->lock)
    CLOCK(before)
    GET_PID(number)
    CHECK(number == GET_PID_F && number >= 0 && number < processes);
    check_locks(me);
    check_barriers(me);
    check_pauses(me);
    check_slot(me);
    check_conditions(me);
    check_condition_by_array(me);
    check_subscripts(me);
    check_semaphores();
    check_monitors(me);
    check_memory(me);
    CLOCK(after)
    CHECK(after > before);
    LOCK(global->lock)
    global->checks += checks_made;
    UNLOCK(global->lock)
}

int main(int argc, char **argv) {
    int i;
    if (argc < 2) {
        fprintf(stderr, "usage: macros PROCESSES\n");
        exit(2);
    }
    processes = atoi(argv[1]);
    MAIN_INITENV(, 4000000)
    global = (struct global_memory *)G_MALLOC(sizeof(struct global_memory));
    LOCKINIT(global->lock)
    LOCKINIT(private_lock);
    ALOCKINIT(global->locks, LOCKS)
    BARINIT(global->barrier, processes)
    BARINIT(global->counted_barrier, processes)
    BARINIT(global->uncounted_barrier)
    BARINIT(private_barrier)
    PAUSEINIT(global->pause)
    PAUSEINIT(global->pauses, MOST)
    PAUSEINIT(global->slot)
    GSINIT(global->subscripts)
    NU_GSINIT(private_subscripts)
    SEMINIT(global->semaphore, 2)
    MONINIT(global->monitor, 2)
    for (i = 0; i < MOST; i++) {
        CONDVARINIT(global->conditions[i])
    }
    for (i = 1; i < processes; i++) {
        CREATE(slave)
    }
    slave();
    WAIT_FOR_END(processes - 1)
    printf("%d processes have made %d checks\n", processes, global->checks);
    MAIN_END
}
