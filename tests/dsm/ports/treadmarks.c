/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * treadmarks [-r ROUNDS] [-e] [-- OPTIONS OF TREADMARKS]
 *
 * Method: a program as those of TreadMarks are: it reads its own options, process 0 allocates and distributes pointers,
 * and all check what others have written behind barriers, locks and conditions. -e ends by exit(), not by Tmk_exit().
 */
#include <Tmk.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CHECK(condition)                                                                                       \
    do {                                                                                                       \
        if (!(condition)) {                                                                                    \
            Tmk_errexit("process %u, %s:%d: %s does not hold\n", Tmk_proc_id, __FILE__, __LINE__, #condition); \
        }                                                                                                      \
    } while (0)

enum { CELLS = 3000, LAST_LOCK = TMK_NLOCKS - 1, LAST_BARRIER = TMK_NBARRIERS - 1, MOST = 64 };

struct shared {
    int cells[CELLS];
    int counter;
    int sum;
    int turn;
    int opened[TMK_NCONDS];
    int go;
};

static struct shared* shared;
static int rounds = 3;
static char text[20000] = "own";
static double numbers[3];
static int distributed_by[MOST];

/* Each process writes a part and reads all. */
static void check_barriers(void) {
    int round, i;
    const int first = CELLS * (int)Tmk_proc_id / (int)Tmk_nprocs;
    const int last = CELLS * ((int)Tmk_proc_id + 1) / (int)Tmk_nprocs;
    for (round = 1; round <= rounds; round++) {
        for (i = first; i < last; i++) {
            shared->cells[i] = round * i;
        }
        Tmk_barrier(round % 2 == 0 ? 0 : LAST_BARRIER);
        for (i = 0; i < CELLS; i++) {
            CHECK(shared->cells[i] == round * i);
        }
        Tmk_barrier(1);
    }
    CHECK(Tmk_stat.arrivals >= (unsigned)(2 * rounds));
}

static void check_locks(void) {
    int i;
    for (i = 0; i < 100; i++) {
        Tmk_lock_acquire(LAST_LOCK);
        shared->counter++;
        Tmk_lock_release(LAST_LOCK);
    }
    Tmk_barrier(0);
    CHECK(shared->counter == 100 * (int)Tmk_nprocs);
    Tmk_barrier(0);
}

/* Process after process, by a broadcast; and one at a time, by signals, on each condition of the lock. */
static void check_conditions(void) {
    unsigned i;
    Tmk_lock_acquire(5);
    while (shared->turn % (int)Tmk_nprocs != (int)Tmk_proc_id) {
        Tmk_lock_cond_wait(5, 0);
    }
    shared->turn++;
    Tmk_lock_cond_broadcast(5, 0);
    Tmk_lock_release(5);
    Tmk_barrier(0);
    CHECK(shared->turn == (int)Tmk_nprocs);
    for (i = 0; i < TMK_NCONDS; i++) {
        Tmk_lock_acquire(6);
        shared->opened[i]++;
        if (shared->opened[i] < (int)Tmk_nprocs) {
            while (shared->opened[i] < (int)Tmk_nprocs) {
                Tmk_lock_cond_wait(6, i);
            }
        }
        Tmk_lock_cond_signal(6, i);
        Tmk_lock_release(6);
        Tmk_barrier(0);
    }
}

/* By each process in turn, and from one lock to the next. */
static void check_distribution(void) {
    unsigned i;
    int value = 0;
    for (i = 0; i < Tmk_nprocs; i++) {
        if (i == Tmk_proc_id) {
            distributed_by[i] = 100 + (int)i;
            Tmk_distribute(&distributed_by[i], sizeof(distributed_by[i]));
            sprintf(text, "of process %u", i);
            text[19999] = 'z';
            Tmk_distribute(text, sizeof(text));
            Tmk_distribute(&shared->counter, sizeof(int)); /* is everywhere already */
        }
        Tmk_barrier(0);
        CHECK(distributed_by[i] == 100 + (int)i);
        CHECK(strncmp(text, "of process ", 11) == 0 && text[11] == (char)('0' + i) && text[19999] == 'z');
        Tmk_barrier(0); /* the next may come at any time behind this one's barrier */
    }
    if (Tmk_proc_id == 0) {
        numbers[1] = 2.5;
        Tmk_distribute((char*)numbers, sizeof(numbers));
        Tmk_lock_acquire(0);
        shared->go = 1;
        Tmk_lock_release(0);
    }
    while (value == 0) {
        Tmk_lock_acquire(0);
        value = shared->go;
        Tmk_lock_release(0);
    }
    CHECK(numbers[1] == 2.5);
    Tmk_barrier(0);
}

static void check_memory(void) {
    static char* piece;
    if (Tmk_proc_id == 0) {
        CHECK((piece = (char*)Tmk_sbrk(5000)) != NULL);
        CHECK(((unsigned long)piece & (Tmk_page_size - 1)) == 0);
        CHECK(Tmk_malloc((size_t)1 << 40) == NULL);
        Tmk_distribute(&piece, sizeof(piece));
    }
    Tmk_barrier(2);
    piece[Tmk_proc_id] = 'a' + (char)Tmk_proc_id;
    Tmk_barrier(3);
    CHECK(piece[Tmk_nprocs - 1] == 'a' + (char)(Tmk_nprocs - 1));
    CHECK(Tmk_npages >= 1024);
    Tmk_barrier(4);
    if (Tmk_proc_id == 0) {
        Tmk_free(piece);
        Tmk_free(Tmk_malloc(0));
    }
}

int main(int argc, char** argv) {
    int c, by_exit = 0;
    while ((c = getopt(argc, argv, "r:e")) != -1) {
        switch (c) {
            case 'r':
                rounds = atoi(optarg);
                break;
            case 'e':
                by_exit = 1;
                break;
            default:
                exit(2);
        }
    }
    Tmk_startup(argc, argv);
    if (Tmk_proc_id == 0) {
        if ((shared = (struct shared*)Tmk_malloc(sizeof(*shared))) == NULL) {
            Tmk_errexit("out of shared memory\n");
        }
        memset(shared, 0, sizeof(*shared));
        Tmk_distribute((char*)&shared, sizeof(shared));
    }
    Tmk_barrier(0);
    check_barriers();
    check_locks();
    check_conditions();
    check_distribution();
    check_memory();
    Tmk_barrier(0);
    if (Tmk_proc_id == 0) {
        Tmk_err("%u processes\n", Tmk_nprocs);
    }
    if (by_exit) {
        return 0;
    }
    Tmk_exit(0);
}
