// SPDX-License-Identifier: BSD-3-Clause
#include "base/standstill_helper.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>

namespace syncline::standstill {
namespace {

constexpr long stop_ns_max = 5'000'000'000;  // a thread stops at once, unless it waits in the kernel for a disk

// Does not use errno, which is the caller's while this runs.
SYNCLINE_HELPER long system_call(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
#if defined(__x86_64__)
    long result;
    register long r10 asm("r10") = d;
    asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
    return result;
#elif defined(__aarch64__)
    register long x8 asm("x8") = number;
    register long x0 asm("x0") = a;
    register long x1 asm("x1") = b;
    register long x2 asm("x2") = c;
    register long x3 asm("x3") = d;
    asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
#else
    const long result = ::syscall(number, a, b, c, d);
    return result < 0 ? -errno : result;
#endif
}

SYNCLINE_HELPER long trace(long request, pid_t thread, long address = 0, long data = 0) {
    return system_call(SYS_ptrace, request, thread, address, data);
}

SYNCLINE_HELPER void say(Helper& own, Outcome outcome) {
    __atomic_store_n(&own.outcome, outcome, __ATOMIC_RELEASE);
    futex_wake(&own.outcome);
}

SYNCLINE_HELPER bool is_event_stop(int status) {
    return status >> 16 == PTRACE_EVENT_STOP;
}

// Returns the signal that a stopped thread was about to take; 0: the helper, or a signal that stops, has stopped it.
SYNCLINE_HELPER int signal_of(int status) {
    return is_event_stop(status) ? 0 : WSTOPSIG(status);
}

enum class Found { kStopped, kGone, kNotPermitted, kNotInTime };

SYNCLINE_HELPER Found await_stop(pid_t thread, int* signal) {
    for (long waited = 0; waited < stop_ns_max;) {
        int status = 0;
        const long which = system_call(SYS_wait4, thread, reinterpret_cast<long>(&status), WNOHANG | __WALL);
        if (which == thread && WIFSTOPPED(status)) {
            *signal = signal_of(status);
            return Found::kStopped;
        }
        if (which != 0) {
            return Found::kGone;
        }
        const timespec pause = {0, waited < 1'000'000 ? 20'000 : 1'000'000};
        (void)system_call(SYS_nanosleep, reinterpret_cast<long>(&pause));
        waited += pause.tv_nsec;
    }
    return Found::kNotInTime;
}

// Writes "<number>/stat".
SYNCLINE_HELPER void name_stat(pid_t thread, char* name) {
    char digits[16];
    int count = 0;
    for (pid_t rest = thread; rest > 0; rest /= 10) {
        digits[count++] = static_cast<char>('0' + rest % 10);
    }
    while (count > 0) {
        *name++ = digits[--count];
    }
    for (const char* text = "/stat"; (*name++ = *text) != '\0'; text++) {
    }
}

// A thread that has ended is still listed if it was the first one.
SYNCLINE_HELPER bool has_ended(Helper& own, pid_t thread) {
    char name[32];
    name_stat(thread, name);
    const long file = system_call(SYS_openat, own.tasks, reinterpret_cast<long>(name), O_RDONLY);
    if (file < 0) {
        return true;
    }
    char text[256];
    const long length = system_call(SYS_read, file, reinterpret_cast<long>(text), sizeof(text));
    (void)system_call(SYS_close, file);
    char state = 'R';
    for (long i = 0; i + 2 < length; i++) {  // behind the last parenthesis
        state = text[i] == ')' ? text[i + 2] : state;
    }
    return state == 'Z' || state == 'X';
}

SYNCLINE_HELPER Found stop(Helper& own, pid_t thread, int* signal) {
    const long status = trace(PTRACE_SEIZE, thread);
    if (status < 0) {
        return status == -ESRCH || has_ended(own, thread) ? Found::kGone : Found::kNotPermitted;
    }
    (void)trace(PTRACE_INTERRUPT, thread);
    return await_stop(thread, signal);
}

SYNCLINE_HELPER bool is_known(const Helper& own, pid_t thread) {
    for (uint32_t i = 0; i < own.count; i++) {
        if (own.stopped[i].thread == thread) {
            return true;
        }
    }
    return thread == own.caller;
}

SYNCLINE_HELPER pid_t number_in(const char* name) {
    pid_t number = 0;
    for (; *name >= '0' && *name <= '9'; name++) {
        number = number * 10 + (*name - '0');
    }
    return number;
}

// Stops the threads of one part of the folder's list that are not known yet.
SYNCLINE_HELPER Outcome stop_listed(Helper& own, const char* list, long bytes, bool* is_any_new) {
    struct Entry {
        uint64_t inode;
        int64_t offset;
        uint16_t bytes;
        uint8_t type;
        char name[1];
    };
    for (long at = 0; at < bytes;) {
        const auto* const entry = reinterpret_cast<const Entry*>(list + at);
        at += entry->bytes;
        const pid_t thread = number_in(entry->name);
        if (thread == 0 || is_known(own, thread)) {
            continue;
        }
        int signal = 0;
        const Found found = own.count == threads_max ? Found::kNotInTime : stop(own, thread, &signal);
        if (found == Found::kStopped) {
            own.stopped[own.count++] = {thread, signal};
            *is_any_new = true;
        } else if (found != Found::kGone) {
            return found == Found::kNotPermitted ? kNotPermitted : kNotInTime;
        }
    }
    return kDone;
}

// Repeats until it finds no new thread: one that was not stopped yet may have started another.
SYNCLINE_HELPER Outcome stop_others(Helper& own) {
    alignas(8) char list[4096];
    Outcome outcome = kDone;
    for (bool is_any_new = true; is_any_new && outcome == kDone;) {
        is_any_new = false;
        (void)system_call(SYS_lseek, own.tasks, 0, SEEK_SET);
        long bytes;
        while (outcome == kDone &&
               (bytes = system_call(SYS_getdents64, own.tasks, reinterpret_cast<long>(list), sizeof(list))) > 0) {
            outcome = stop_listed(own, list, bytes, &is_any_new);
        }
    }
    return outcome;
}

SYNCLINE_HELPER void let_go(Helper& own) {
    for (uint32_t i = 0; i < own.count; i++) {
        (void)trace(PTRACE_DETACH, own.stopped[i].thread, 0, own.stopped[i].signal);
    }
    own.count = 0;
}

// Waits until the caller stops. Returns false if it is gone.
SYNCLINE_HELPER bool await_caller(Helper& own, int* status) {
    return system_call(SYS_wait4, own.caller, reinterpret_cast<long>(status), __WALL) == own.caller &&
           WIFSTOPPED(*status);
}

SYNCLINE_HELPER bool is_at_system_call(int status) {
    return WSTOPSIG(status) == (SIGTRAP | 0x80);
}

// The kernel's answer to PTRACE_GET_SYSCALL_INFO, which the headers of C libraries name differently.
struct SystemCall {
    uint8_t is_entry;  // 1: at the entry; 2: at the exit
    uint8_t padding[3];
    uint32_t architecture;
    uint64_t instruction;
    uint64_t stack;
    uint64_t number;
    uint64_t arguments[6];
};

// Returns whether the caller has stopped at the entry of a system call that copies this process's memory for a child.
SYNCLINE_HELPER bool is_at_fork(Helper& own) {
    SystemCall call = {};
    if (trace(PTRACE_GET_SYSCALL_INFO, own.caller, sizeof(call), reinterpret_cast<long>(&call)) < 0 ||
        call.is_entry != 1) {
        return false;
    }
#ifdef SYS_fork
    if (call.number == SYS_fork) {
        return true;
    }
#endif
    if (call.number == SYS_clone3) {
        return (*reinterpret_cast<const uint64_t*>(call.arguments[0]) & CLONE_VM) == 0;
    }
    return call.number == SYS_clone && (call.arguments[0] & CLONE_VM) == 0;
}

// Lets the caller run to the entry of its fork(). Returns false if it is gone.
SYNCLINE_HELPER bool follow_to_fork(Helper& own) {
    int status = 0;
    int signal = 0;
    long request = PTRACE_SYSCALL;
    do {
        (void)trace(request, own.caller, 0, signal);
        if (!await_caller(own, &status)) {
            return false;
        }
        // A stop of the whole process lasts until SIGCONT ends it.
        request = is_event_stop(status) && WSTOPSIG(status) != SIGTRAP ? PTRACE_LISTEN : PTRACE_SYSCALL;
        signal = is_at_system_call(status) ? 0 : signal_of(status);
    } while (!is_at_system_call(status) || !is_at_fork(own));
    return true;
}

SYNCLINE_HELPER Outcome work_at_fork(Helper& own) {
    const Outcome stopped = stop_others(own);
    if (stopped != kDone || !own.before(own.context)) {
        return stopped != kDone ? stopped : kFailed;
    }
    __atomic_store_n(&own.happened, 1, __ATOMIC_RELEASE);
    int status = 0;
    (void)trace(PTRACE_SYSCALL, own.caller);
    return await_caller(own, &status) && own.after(own.context) ? kDone : kFailed;
}

SYNCLINE_HELPER void follow_fork(Helper& own) {
    int signal = 0;
    if (trace(PTRACE_SEIZE, own.caller, 0, PTRACE_O_TRACESYSGOOD) < 0) {
        return say(own, kNotPermitted);
    }
    (void)trace(PTRACE_INTERRUPT, own.caller);
    if (await_stop(own.caller, &signal) != Found::kStopped) {
        return say(own, kNotInTime);
    }
    SystemCall call = {};
    if (trace(PTRACE_GET_SYSCALL_INFO, own.caller, sizeof(call), reinterpret_cast<long>(&call)) < 0) {
        say(own, kNotPermitted);  // the helper would not see the caller's fork()
        (void)trace(PTRACE_DETACH, own.caller, 0, signal);
        return;
    }
    say(own, kFollows);
    if (follow_to_fork(own)) {
        const Outcome outcome = work_at_fork(own);
        let_go(own);
        __atomic_store_n(&own.outcome, outcome, __ATOMIC_RELEASE);
        (void)trace(PTRACE_DETACH, own.caller);
    }
}

}  // namespace

SYNCLINE_HELPER void futex_wake(uint32_t* word) {
    (void)system_call(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAKE_PRIVATE, 1);
}

SYNCLINE_HELPER void futex_wait(uint32_t* word, uint32_t value) {
    const timespec time = {0, 100'000'000};
    (void)system_call(SYS_futex, reinterpret_cast<long>(word), FUTEX_WAIT_PRIVATE, value,
                      reinterpret_cast<long>(&time));
}

SYNCLINE_HELPER int help(void* argument) {
    Helper& own = *static_cast<Helper*>(argument);
    (void)system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
    while (__atomic_load_n(&own.may_begin, __ATOMIC_ACQUIRE) == 0) {
        if (system_call(SYS_getppid) != own.process) {
            return 0;  // the caller was killed before this process could ask for a signal at its death
        }
        futex_wait(&own.may_begin, 0);
    }
    if (own.after != nullptr) {
        follow_fork(own);
        return 0;
    }
    Outcome outcome = stop_others(own);
    if (outcome == kDone && !own.before(own.context)) {
        outcome = kFailed;
    }
    let_go(own);
    say(own, outcome);
    return 0;
}

}  // namespace syncline::standstill
