// SPDX-License-Identifier: BSD-3-Clause
// Method: children of fork() and their parents have variables of their own. forks.sh says what is expected of each way.
//
// copies: a thread of each PE, with all signals blocked, counts up in three places by turns: a variable, memory of
//     malloc() and a variable in another page. A child has all three as they were in one moment of its fork, and they
//     stay so; the parent's count goes on, and what the child writes to its variables the parent does not see. Handlers
//     of fork() use a lock that is a variable. In the middle another mapping comes below the program's.
// traced: a debugger has the thread that forks. Children and parents have variables of their own all the same.
// rights: before shmem_init() the program takes the rights to a page of an array away, and later others of other pages.
//     Each fork() leaves them as they are: code runs, a page that was read-only for a while can be written again.
// narrow: no descriptor is free, and then there is no /proc any more. Variables are the child's own all the same.
// handler: a handler of signals, too, makes children, whatever it interrupts.
// heap: a child reads the symmetric heap.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "traced.h"

enum { forks = 40, page = 4096 };

static struct {
    _Alignas(page) volatile long first;
    _Alignas(page) volatile long last;
} count = {1, 1};
static volatile long* in_the_middle;
static void* const below = (void*)0x1000000;
static atomic_int stop;
static int depth;
static char line[64] = "none";
static long symmetric;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void take_lock(void) {
    pthread_mutex_lock(&lock);
}
static void leave_lock(void) {
    CHECK(pthread_mutex_unlock(&lock) == 0);
}

static void* go_on_counting(void* unused) {
    while (!atomic_load(&stop)) {
        count.first++;
        ++*in_the_middle;
        count.last++;
    }
    return unused;
}

static int is_of_one_moment(void) {
    const long first = count.first, middle = *in_the_middle, last = count.last;
    if (first - middle < 0 || first - middle > 1 || middle - last < 0 || middle - last > 1) {
        fprintf(stderr, "the child has %ld, %ld and %ld\n", first, middle, last);
        return 0;
    }
    usleep(200);
    return count.first == first && count.last == last;
}

static _Noreturn void be_a_child(long before) {
    int ok = is_of_one_moment() && count.first >= before && ++depth == 1 && strcmp(line, "parent") == 0;
    strcpy(line, "child");
    if (depth == 1 && count.first % 8 == 0) {  // a child's own child
        const pid_t child = fork();
        if (child == 0) {
            _exit(++depth == 2 && strcmp(line, "child") == 0 ? 0 : 9);
        }
        int status = 0;
        ok = ok && waitpid(child, &status, 0) == child && status == 0 && depth == 1;
    }
    symmetric = -1;
    _exit(ok ? 0 : 9);
}

static void check_copies(void) {
    in_the_middle = malloc(sizeof(*in_the_middle));
    *in_the_middle = 1;
    sigset_t all;
    pthread_t counter;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    CHECK(pthread_create(&counter, NULL, go_on_counting, NULL) == 0);
    pthread_sigmask(SIG_UNBLOCK, &all, NULL);
    strcpy(line, "parent");
    for (int i = 0; i < forks; i++) {
        const long before = count.first;
        if (i == forks / 2) {
            CHECK(mmap(below, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == below);
        }
        const pid_t child = fork();
        if (child == 0) {
            be_a_child(before);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(status == 0);
        CHECK(depth == 0 && strcmp(line, "parent") == 0 && symmetric >= 0);
        CHECK(waitpid(-1, NULL, 0) == -1);  // the library leaves no child behind
        if (i % 8 == 0) {
            CHECK(system("true") == 0);
        }
        shmem_long_atomic_inc(&symmetric, (shmem_my_pe() + 1) % shmem_n_pes());
    }
    atomic_store(&stop, 1);
    pthread_join(counter, NULL);
    CHECK(count.first == *in_the_middle && count.first == count.last);
    shmem_barrier_all();
    CHECK(symmetric == forks);
}

static void check_children(int children) {
    for (int i = 0; i < children; i++) {
        depth = i;
        const pid_t child = fork();
        if (child == 0) {
            depth += 100;
            _exit(depth == 100 + i ? 0 : 9);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(status == 0 && depth == i);
    }
}

#if defined(__x86_64__)
static const unsigned char returns[] = {0xc3};
#else
static const unsigned char returns[] = {0xc0, 0x03, 0x5f, 0xd6};
#endif
static struct {
    _Alignas(page) char guarded[page];
    _Alignas(page) unsigned char code[page];
    _Alignas(page) volatile char read[page];
} pages = {{1}, {0}, {1}};

static int is_guarded(void) {
    const int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    const ssize_t length = read(zeros, pages.guarded, 1);
    const int error = errno;
    close(zeros);
    return length == -1 && error == EFAULT;
}

#ifdef __clang__
__attribute__((no_sanitize("function")))  // which reads in front of the code, where there are no rights
#endif
static void
check_rights(void) {
    CHECK(is_guarded());
    memcpy(pages.code, returns, sizeof(returns));
    const int runs = mprotect(pages.code, page, PROT_READ | PROT_EXEC) == 0;  // memory of a BPF array never does
    CHECK(mprotect((void*)pages.read, page, PROT_READ) == 0);
    check_children(3);
    CHECK(is_guarded());
    if (runs) {
        __builtin___clear_cache((char*)pages.code, (char*)pages.code + sizeof(returns));
        ((void (*)(void))(uintptr_t)pages.code)();
    }
    CHECK(mprotect((void*)pages.read, page, PROT_READ | PROT_WRITE) == 0);
    pages.read[0]++;
    CHECK(pages.read[0] == 2);
    CHECK(mprotect(pages.guarded, page, PROT_READ) == 0 && pages.guarded[0] == 1);
}

static void check_narrow(void) {
    int last = -1;
    for (int copy; (copy = dup(STDERR_FILENO)) >= 0;) {
        last = copy;
    }
    CHECK(errno == EMFILE);
    check_children(3);
    for (; last > STDERR_FILENO + 1 && (fcntl(last, F_GETFD) & FD_CLOEXEC) == 0; last--) {
        close(last);
    }
    check_children(1);
    if (geteuid() == 0) {
        CHECK(chroot("/sys") == 0);
        check_children(3);
    }
}

static void make_child(int unused) {
    (void)unused;
    const int error = errno;
    const pid_t child = fork();
    if (child == 0) {
        depth = -1;
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, NULL, 0) == child);
    errno = error;
}

static void check_handler(void) {
    signal(SIGALRM, make_child);
    for (int i = 0; i < 4 * forks; i++) {
        const struct itimerval soon = {{0, 0}, {0, 20 * (i + 1)}};
        CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
        check_children(1);
    }
    usleep(10000);
}

static void check_heap(void) {
    long* const heap = shmem_calloc(1, sizeof(long));
    const pid_t child = fork();
    if (child == 0) {
        _exit((int)*(volatile long*)heap);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    CHECK(*heap == 0);
}

int main(int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "traced") == 0) {
        let_a_child_trace(getpid());
    }
    CHECK(argc == 2);
    if (strcmp(argv[1], "handler") != 0) {
        CHECK(pthread_atfork(take_lock, leave_lock, leave_lock) == 0);
    }
    CHECK(strcmp(argv[1], "rights") != 0 || mprotect(pages.guarded, page, PROT_NONE) == 0);
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &(int){0});
    if (strcmp(argv[1], "copies") == 0) {
        check_copies();
    } else if (strcmp(argv[1], "traced") == 0) {
        check_children(5);
    } else if (strcmp(argv[1], "rights") == 0) {
        check_rights();
    } else if (strcmp(argv[1], "narrow") == 0) {
        check_narrow();
    } else if (strcmp(argv[1], "handler") == 0) {
        check_handler();
    } else {
        check_heap();
    }
    shmem_finalize();
    return 0;
}
