// SPDX-License-Identifier: BSD-3-Clause
// signals <way>...
//
// Method: in each way a process or a thread has something of its own about SIGSEGV and SIGBUS: blocked signals, a
// handler that knows nothing of shared memory, a stack that is small. All processes then write parts of pages and read
// all, by turns, with the counts right; and where there is a handler, it still gets the faults that are the program's
// own.
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "check.h"

using namespace dsm_live;

namespace {

constexpr int rounds = 4;
constexpr size_t words = 20 * page_words;

volatile uint64_t* memory = nullptr;
volatile int* volatile nowhere = nullptr;

// All processes together.
void share() {
    static uint64_t number = 0;
    for (int round = 0; round < rounds; round++) {
        number++;
        for (auto i = static_cast<size_t>(me()); i < words; i += static_cast<size_t>(size())) {
            memory[i] = number * i;
        }
        barrier();
        for (size_t i = 0; i < words; i++) {
            CHECK_THAT(memory[i] == number * i, "word {} is {}", i, uint64_t{memory[i]});
        }
        CHECK_OK(syncline_dsm_lock(1));
        CHECK_OK(syncline_dsm_unlock(1));
        barrier();
    }
}

void block_all() {
    sigset_t all;
    ::sigfillset(&all);
    CHECK(::pthread_sigmask(SIG_SETMASK, &all, nullptr) == 0);
}

void run_in_thread(size_t stack, const sigset_t* mask = nullptr) {
    pthread_attr_t attributes;
    pthread_t thread;
    ::pthread_attr_init(&attributes);
    CHECK(stack == 0 || ::pthread_attr_setstacksize(&attributes, stack) == 0);
    CHECK(mask == nullptr || ::pthread_attr_setsigmask_np(&attributes, mask) == 0);
    const auto body = [](void*) -> void* {
        share();
        return nullptr;
    };
    CHECK(::pthread_create(&thread, &attributes, body, nullptr) == 0);
    ::pthread_join(thread, nullptr);
    ::pthread_attr_destroy(&attributes);
}

sigjmp_buf back;
std::atomic<int> own_faults{0};

void jump_back(int) {
    own_faults++;
    siglongjmp(back, 1);
}

void jump_back_with_info(int number, siginfo_t*, void*) {
    jump_back(number);
}

// The program's own fault goes to the handler that the program has installed.
void expect_own_fault() {
    const int before = own_faults;
    if (sigsetjmp(back, 1) == 0) {
        *nowhere = 1;
    }
    CHECK(own_faults == before + 1);
}

struct sigaction action_with(int flags) {
    struct sigaction action = {};
    action.sa_sigaction = jump_back_with_info;
    action.sa_flags = SA_SIGINFO | flags;
    ::sigfillset(&action.sa_mask);
    return action;
}

void handle_by_sigaction() {
    struct sigaction before = {};
    struct sigaction now = {};
    const struct sigaction wanted = action_with(0);
    CHECK(::sigaction(SIGSEGV, &wanted, &before) == 0 && before.sa_handler == SIG_DFL);
    CHECK(::sigaction(SIGSEGV, nullptr, &now) == 0 && now.sa_sigaction == wanted.sa_sigaction);
    share();
    for (int time = 0; time < 3; time++) {
        expect_own_fault();
    }
    share();
    CHECK(::sigaction(SIGSEGV, &before, nullptr) == 0);
    share();
}

void handle_by_signal() {
    CHECK(::signal(SIGSEGV, jump_back) == SIG_DFL && ::signal(SIGBUS, jump_back) == SIG_DFL);
    share();
    expect_own_fault();
    share();
    CHECK(::signal(SIGSEGV, SIG_DFL) == jump_back && ::signal(SIGBUS, SIG_IGN) == jump_back);
    share();
    CHECK(::signal(SIGBUS, SIG_DFL) == SIG_IGN);
}

// A handler of that kind catches the end of the stack on another one, which is small for what the library does.
void handle_on_another_stack() {
    static char stack[16384];
    stack_t another = {};
    another.ss_sp = stack;
    another.ss_size = sizeof(stack);
    CHECK(::sigaltstack(&another, nullptr) == 0);
    const struct sigaction wanted = action_with(SA_ONSTACK);
    CHECK(::sigaction(SIGSEGV, &wanted, nullptr) == 0 && ::sigaction(SIGBUS, &wanted, nullptr) == 0);
    share();
    expect_own_fault();
    share();
    CHECK(::signal(SIGSEGV, SIG_DFL) != SIG_ERR && ::signal(SIGBUS, SIG_DFL) != SIG_ERR);
    another.ss_flags = SS_DISABLE;
    ::sigaltstack(&another, nullptr);
}

// The default action is the crash, and so is a fault of a handler.
void crash(void (*prepare)(), int number) {
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit none = {};
        ::setrlimit(RLIMIT_CORE, &none);
        prepare();
        *nowhere = 1;
        ::_exit(0);
    }
    int status = 0;
    CHECK(::waitpid(child, &status, 0) == child);
    CHECK_THAT(WIFSIGNALED(status) && WTERMSIG(status) == number, "the child's status is {:#x}", status);
}

void crash_all() {
    crash([] {}, SIGSEGV);
    crash([] { ::signal(SIGSEGV, [](int) { *nowhere = 1; }); }, SIGSEGV);
    crash([] { (void)memory[0]; }, SIGSEGV);  // it is the parent's
    share();
}

// A child has no part in the job: neither by a call nor by its end.
void make_child() {
    const pid_t child = ::fork();
    if (child == 0) {
        const bool is_refused = syncline_dsm_barrier() == SYNCLINE_ERR_NOT_INITIALIZED &&
                                std::strstr(syncline_last_error(), "fork()") != nullptr &&
                                syncline_dsm_finalize() == SYNCLINE_ERR_NOT_INITIALIZED;
        std::exit(is_refused ? 0 : 1);
    }
    int status = 0;
    CHECK(::waitpid(child, &status, 0) == child && status == 0);
    share();
}

// Its signals are its own, whatever another thread of the parent did with them in that moment.
void make_children_beside_sigaction() {
    std::atomic<bool> stop{false};
    std::thread changes([&] {
        while (!stop) {
            (void)::signal(SIGBUS, SIG_DFL);
        }
    });
    for (int i = 0; i < 500; i++) {
        const pid_t child = ::fork();
        if (child == 0) {
            ::_exit(::signal(SIGBUS, SIG_IGN) == SIG_DFL ? 0 : 1);
        }
        int status = 0;
        CHECK(::waitpid(child, &status, 0) == child && status == 0);
    }
    stop = true;
    changes.join();
    share();
}

void run(const std::string& way) {
    if (way == "blocked") {
        sigset_t before;
        ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
        block_all();
        share();
        run_in_thread(0);
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
        sigset_t all;
        ::sigfillset(&all);
        run_in_thread(0, &all);
    } else if (way == "small") {
        run_in_thread(PTHREAD_STACK_MIN);
        run_in_thread(24 * 1024);
    } else if (way == "sigaction") {
        handle_by_sigaction();
    } else if (way == "signal") {
        handle_by_signal();
    } else if (way == "stack") {
        handle_on_another_stack();
    } else if (way == "crash") {
        crash_all();
    } else if (way == "fork") {
        make_child();
        make_children_beside_sigaction();
    } else {
        CHECK_THAT(false, "there is no way {}", way);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::string(argv[1]) == "blocked_before") {
        block_all();
    }
    CHECK_OK(syncline_dsm_init(nullptr));
    memory = static_cast<volatile uint64_t*>(syncline_dsm_alloc(words * sizeof(uint64_t), SYNCLINE_DSM_FIRST_TOUCH));
    CHECK(memory != nullptr);
    share();
    for (int i = 1; i < argc; i++) {
        if (std::string(argv[i]) != "blocked_before") {
            run(argv[i]);
        }
    }
    CHECK_OK(syncline_dsm_finalize());
    return 0;
}
