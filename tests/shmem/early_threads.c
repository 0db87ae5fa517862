// SPDX-License-Identifier: BSD-3-Clause
// early_threads [traced | namespace]
//
// Method: threads that run before shmem_init() change variables while it makes them symmetric, in every way: they
// count, one of them with all signals blocked, wait in system calls that write variables, wait for a condition and use
// a lock. Nothing of it is lost, and no system call fails. traced: a debugger has one of them, so shmem_init() refuses.
// namespace: as it does where /proc is that of another namespace of processes.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"
#include "traced.h"

enum { counters = 2, pad_bytes = 16 << 20 };

static volatile char pad[pad_bytes];  // moving it takes some time
static _Atomic long all = 0;
static long guarded = 0;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long own[counters];
static atomic_int stop, running;
static char received[16];
static int to_reader[2];
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_awake;
static long slept_ns;

static void* count(void* place) {
    volatile long* const mine = place;
    if (mine == &own[0]) {
        sigset_t blocked;
        sigfillset(&blocked);
        pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    }
    long counted = 0;
    atomic_fetch_add(&running, 1);
    while (!atomic_load(&stop)) {
        atomic_fetch_add(&all, 1);
        pthread_mutex_lock(&lock);
        guarded++;
        pthread_mutex_unlock(&lock);
        ++*mine;
        counted++;
    }
    return (void*)counted;
}

static void* receive(void* unused) {
    atomic_fetch_add(&running, 1);
    return read(to_reader[0], received, sizeof(received)) == 6 ? unused : NULL;
}

static void* wait_to_be_woken(void* unused) {
    pthread_mutex_lock(&lock);
    atomic_fetch_add(&running, 1);
    while (!is_awake) {
        pthread_cond_wait(&condition, &lock);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void* sleep_a_while(void* unused) {
    struct timespec rest = {0, 0};
    const struct timespec time = {0, 700000000};
    atomic_fetch_add(&running, 1);
    slept_ns = nanosleep(&time, &rest) == 0 ? time.tv_nsec : -1;
    return unused;
}

static void* be_traced(void* unused) {
    let_a_child_trace((pid_t)syscall(SYS_gettid));
    atomic_fetch_add(&running, 1);
    while (!atomic_load(&stop)) {
        usleep(1000);
    }
    return unused;
}

static void* end_at_once(void* unused) {
    return unused;
}

// Goes on in a child.
static void enter_namespace(void) {
    if (unshare(CLONE_NEWPID) != 0) {
        fprintf(stderr, "Skipped: a namespace of processes needs root\n");
        exit(77);
    }
    const pid_t child = fork();
    if (child != 0) {
        int status = 0;
        waitpid(child, &status, 0);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 9);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

int main(int argc, char** argv) {
    const int is_traced = argc > 1 && strcmp(argv[1], "traced") == 0;
    if (argc > 1 && !is_traced) {
        enter_namespace();
    }
    pthread_t threads[counters], reader, waiter, sleeper;
    CHECK(pipe(to_reader) == 0);
    for (long i = 0; i < pad_bytes; i += 64) {
        pad[i] = (char)(i / 64);
    }
    for (int i = 0; i < counters; i++) {
        pthread_create(&threads[i], NULL, count, (void*)&own[i]);
    }
    pthread_create(&reader, NULL, receive, received);
    pthread_create(&waiter, NULL, wait_to_be_woken, NULL);
    pthread_create(&sleeper, NULL, is_traced ? be_traced : sleep_a_while, NULL);
    while (atomic_load(&running) < counters + 3) {
        usleep(1000);
    }
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &(int){0});
    usleep(10000);
    CHECK(write(to_reader[1], "hello", 6) == 6);
    pthread_mutex_lock(&lock);
    is_awake = 1;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&lock);
    atomic_store(&stop, 1);
    long sum = 0;
    for (int i = 0; i < counters; i++) {
        void* counted = NULL;
        pthread_join(threads[i], &counted);
        CHECK(own[i] == (long)counted);
        sum += (long)counted;
    }
    void* result = NULL;
    CHECK(pthread_join(reader, &result) == 0 && result == received && strcmp(received, "hello") == 0);
    pthread_join(waiter, NULL);
    pthread_join(sleeper, NULL);
    CHECK(slept_ns > 0);
    CHECK(all == sum);
    CHECK(guarded == sum);
    for (long i = 0; i < pad_bytes; i += 64) {
        CHECK(pad[i] == (char)(i / 64));
    }
    pthread_t last;
    CHECK(pthread_create(&last, NULL, end_at_once, NULL) == 0 && pthread_join(last, NULL) == 0);
    shmem_finalize();
    return 0;
}
