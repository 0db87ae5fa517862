// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/live/dispositions.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "base/failure.h"
#include "base/yield.h"

namespace syncline::dsm {
namespace {

constexpr int signals[] = {SIGSEGV, SIGBUS};

// Guarded by the lock.
SignalHandler library = nullptr;
struct sigaction program[2] = {};

using Action = int (*)(int, const struct sigaction*, struct sigaction*);
std::atomic<Action> next_action{nullptr};

// The next library's sigaction(), which is usually libc's; if libc itself stands in front of this library, there is no
// next one. Signal handlers must not call dlsym(), so this runs when the library is loaded.
Action kernel_action() {
    Action action = next_action.load(std::memory_order_acquire);
    if (action == nullptr) {
        void* found = ::dlsym(RTLD_NEXT, "sigaction");
        found = found != nullptr ? found : ::dlsym(::dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "sigaction");
        action = reinterpret_cast<Action>(found);
        next_action.store(action, std::memory_order_release);
    }
    return action;
}

std::atomic<uint64_t> calls{0};  // of change_action()
std::atomic_flag taken = ATOMIC_FLAG_INIT;

// In a child of fork(), the thread that had the lock does not exist.
void leave_lock() {
    taken.clear(std::memory_order_release);
}

__attribute__((constructor)) void begin() {
    (void)kernel_action();
    (void)::pthread_atfork(nullptr, nullptr, leave_lock);
}

// Blocks signals, because a signal handler that ran in between would wait for the lock for ever.
class Guard {
  public:
    Guard() {
        const uint64_t all = UINT64_MAX;
        ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before_, sizeof(all));
        while (taken.test_and_set(std::memory_order_acquire)) {
            yield_cpu();
        }
    }
    ~Guard() {
        taken.clear(std::memory_order_release);
        ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before_, nullptr, sizeof(before_));
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

  private:
    uint64_t before_ = 0;
};

int index_of(int number) {
    return number == signals[0] ? 0 : 1;
}

// Other signals wait until a fault has been served, because their handlers might leave it by a jump.
int install(int number) {
    struct sigaction action = {};
    action.sa_sigaction = library;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART | (program[index_of(number)].sa_flags & SA_ONSTACK);
    ::sigfillset(&action.sa_mask);
    ::sigdelset(&action.sa_mask, SIGTRAP);
    remove_fault_signals(&action.sa_mask);
    return kernel_action()(number, &action, nullptr);
}

int change_fault_action(int number, const struct sigaction* to, struct sigaction* before) {
    const Guard guard;
    if (library == nullptr) {
        return kernel_action()(number, to, before);
    }
    struct sigaction& own = program[index_of(number)];
    *before = own;
    if (to == nullptr) {
        return 0;
    }
    own = *to;
    return install(number);
}

}  // namespace

bool is_fault_signal(int number) {
    return number == signals[0] || number == signals[1];
}

void remove_fault_signals(sigset_t* set) {
    for (const int number : signals) {
        ::sigdelset(set, number);
    }
}

void unblock_fault_signals() {
    const uint64_t both = uint64_t{1} << (signals[0] - 1) | uint64_t{1} << (signals[1] - 1);
    ::syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &both, nullptr, sizeof(both));
}

bool are_called_by_program() {
    const auto action = reinterpret_cast<Action>(::dlsym(RTLD_DEFAULT, "sigaction"));
    struct sigaction now = {};
    const uint64_t before = calls.load();
    action(signals[0], nullptr, &now);
    return calls.load() != before;
}

int change_action(int number, const struct sigaction* to, struct sigaction* before) {
    calls.fetch_add(1, std::memory_order_relaxed);
    struct sigaction wanted = {};
    struct sigaction had = {};
    if (to != nullptr) {
        wanted = *to;
        remove_fault_signals(&wanted.sa_mask);
    }
    const struct sigaction* const change = to != nullptr ? &wanted : nullptr;
    const int status =
        is_fault_signal(number) ? change_fault_action(number, change, &had) : kernel_action()(number, change, &had);
    if (before != nullptr && status == 0) {
        *before = had;
    }
    return status;
}

struct sigaction action_of_program(int number) {
    const Guard guard;
    return program[index_of(number)];
}

void take_signals(SignalHandler handler) {
    const Guard guard;
    library = handler;
    for (const int number : signals) {
        struct sigaction& before = program[index_of(number)];
        if (kernel_action()(number, nullptr, &before) != 0 || install(number) != 0) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "cannot handle signal {}", number);
        }
    }
}

void give_signals_back() {
    const Guard guard;
    for (const int number : signals) {
        kernel_action()(number, &program[index_of(number)], nullptr);
    }
    library = nullptr;
}

void retake_signals() {
    const Guard guard;
    for (const int number : signals) {
        struct sigaction now = {};
        if (library != nullptr && kernel_action()(number, nullptr, &now) == 0 && now.sa_sigaction != library) {
            program[index_of(number)] = now;
            install(number);
        }
    }
}

void set_default_action(int number) {
    struct sigaction crash = {};
    crash.sa_handler = SIG_DFL;
    kernel_action()(number, &crash, nullptr);
}

}  // namespace syncline::dsm
