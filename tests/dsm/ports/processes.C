/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * processes PHASES|NESTED|TOGETHER|EXITS|ARGUMENTS PROCESSES
 *
 * Method: the processes that CREATE makes have the creator's private data as they were then, again in each phase, and what they
 * change themselves stays theirs. Data of libraries stay each process's own. All kinds of data go: initialised and zero
 * variables, static ones of functions, blocks of each allocation call, strings of arguments, pointers among all of these and to
 * functions.
 */
#include <ctype.h>
#include <malloc.h>
#include <string.h>

EXTERN_ENV
MAIN_ENV

#include "parmacs_checks.h"

int checks_made = 0;

struct node {
    int value;
    struct node *next;
};

struct global_memory {
    LOCKDEC(lock)
    BARDEC(barrier)
    int checks;
    int ran;
    int phase;
} *global;

int processes;
int initialised = 41;
int zero;
double large[20000];
const char *word = "constant";
char *argument;
struct node *list;
char *strings[6];
int (*function)(int) = toupper;
FILE *out;

static int next_static(void) {
    static int count = 5;
    return count++;
}

static void make_list(int from, int count) {
    struct node **end = &list;
    while (*end != NULL) {
        struct node *gone = *end;
        *end = gone->next;
        free(gone);
    }
    for (; count > 0; count--) {
        *end = (struct node *)malloc(sizeof(struct node));
        (*end)->value = from++;
        (*end)->next = NULL;
        end = &(*end)->next;
    }
}

static void check_list(int from, int count) {
    struct node *at;
    for (at = list; at != NULL; at = at->next, count--) {
        CHECK(at->value == from++);
    }
    CHECK(count == 0);
}

static void make_data(int phase) {
    initialised = 41 + phase;
    zero = phase;
    large[phase] = 0.5 * phase;
    large[19999] = phase == 2 ? 0 : phase;
    make_list(100 * phase, 10 + phase);
    if (phase == 1) {
        strings[0] = strdup("duplicated");
        strings[1] = strndup("cut short", 3);
        strings[2] = (char *)calloc(100, 1);
        strings[3] = (char *)memalign(4096, 5000);
        strings[4] = (char *)realloc(malloc(1), 100000);
        strings[5] = (char *)valloc(10);
        CHECK(posix_memalign((void **)&strings[5], 64, 10) == 0);
        strcpy(strings[3], "aligned");
        memset(strings[4], 'x', 100000);
        CHECK(((unsigned long)strings[3] & 4095) == 0 && ((unsigned long)strings[5] & 63) == 0);
        CHECK(malloc_usable_size(strings[4]) >= 100000);
        out = stdout;
        CHECK(next_static() == 5);
    }
}

static void check_data(int phase) {
    CHECK(initialised == 41 + phase);
    CHECK(zero == phase);
    CHECK(large[phase] == 0.5 * phase);
    CHECK(large[phase + 1] == 0);
    CHECK(large[19999] == (phase == 2 ? 0 : phase));
    check_list(100 * phase, 10 + phase);
    CHECK(strcmp(word, "constant") == 0);
    CHECK(strcmp(argument, "argument") == 0);
    CHECK(strcmp(strings[0], "duplicated") == 0);
    CHECK(strcmp(strings[1], "cut") == 0);
    CHECK(strings[2][99] == 0);
    CHECK(strcmp(strings[3], "aligned") == 0);
    CHECK(strings[4][0] == 'x' && strings[4][99999] == 'x');
    CHECK(function('a') == 'A');
    CHECK(out == stdout);
    CHECK(next_static() == 6);
}

/* Private data of one process are no other's. */
static void spoil_data(void) {
    initialised = zero = -1;
    large[1] = large[2] = large[19999] = -1;
    make_list(-5, 3);
    free(strings[0]);
    strings[0] = NULL;
    memset(strings[4], 'y', 100000);
    function = NULL;
}

static void count_run(void) {
    LOCK(global->lock)
    global->ran++;
    global->checks += checks_made;
    UNLOCK(global->lock)
}

void phase_slave(void) {
    checks_made = 0;
    check_data(global->phase);
    spoil_data();
    BARRIER(global->barrier, processes)
    count_run();
}

/* As many processes, phase by phase; then fewer, of which WAIT_FOR_END awaits one at a time. */
static void run_phases(void) {
    int i, phase;
    for (phase = 1; phase <= 4; phase++) {
        make_data(phase);
        global->phase = phase;
        for (i = 1; i < processes; i++) {
            CREATE(phase_slave)
        }
        BARRIER(global->barrier, processes)
        for (i = 1; i < processes; i++) {
            WAIT_FOR_END(1)
        }
        CHECK(global->ran == phase * (processes - 1));
        CHECK(initialised == 41 + phase && strings[0] != NULL);
        check_list(100 * phase, 10 + phase);
    }
    WAIT_FOR_END(processes)
}

void leaf(void) {
    CHECK(initialised == 1000 + zero);
    count_run();
}

/* A process that CREATE has made creates others, with its own data. */
void branch(void) {
    CHECK(initialised == 999);
    zero = 7;
    initialised = 1007;
    CREATE(leaf)
    zero = 8;
    initialised = 1008;
    CREATE(leaf)
    WAIT_FOR_END(2)
    CHECK(global->ran == 2);
    count_run();
}

static void run_nested(void) {
    initialised = 999;
    CREATE(branch)
    WAIT_FOR_END(1)
    CHECK(global->ran == 3);
    CHECK(initialised == 999);
}

void together_slave(void) {
    CHECK(initialised == 42);
    count_run();
    BARRIER(global->barrier, processes)
    CHECK(global->ran == processes);
}

static void run_together(void) {
    initialised = 42;
    CREATE(together_slave, processes)
    WAIT_FOR_END(processes)
}

/* exit(0) ends what CREATE has made, and no more; the process serves again. */
void exiting_slave(void) {
    count_run();
    exit(0);
}

static void run_exits(void) {
    int i;
    for (i = 0; i < 3 * (processes - 1); i++) {
        CREATE(exiting_slave)
        WAIT_FOR_END(1)
        CHECK(global->ran == i + 1);
    }
}

int main(int argc, char **argv) {
    int c;
    const char *mode;
    while ((c = getopt(argc, argv, "x:")) != -1) {
        argument = optarg;
    }
    mode = argv[optind];
    processes = atoi(argv[optind + 1]);
    MAIN_INITENV(, )
    global = (struct global_memory *)G_MALLOC(sizeof(struct global_memory))
    LOCKINIT(global->lock)
    BARINIT(global->barrier)
    if (strcmp(mode, "PHASES") == 0) {
        run_phases();
    } else if (strcmp(mode, "NESTED") == 0) {
        run_nested();
    } else if (strcmp(mode, "TOGETHER") == 0) {
        run_together();
    } else if (strcmp(mode, "EXITS") == 0) {
        run_exits();
    } else {
        exit(2);
    }
    printf("%d runs, %d checks\n", global->ran, global->checks + checks_made);
    fflush(stdout);
    return 0; /* as MAIN_END */
}
