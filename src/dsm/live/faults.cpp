// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/live/faults.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "dsm/live/dispositions.h"
#include "dsm/live/own_stack.h"
#include "runtime/ground/interruption.h"

namespace syncline::dsm {
namespace {

// Written while no thread uses shared memory.
Faults* active = nullptr;

// Returns whether the access is a write, if the processor tells; on others a write first comes as a read, and then once
// more.
bool is_write(const void* context) {
#if defined(__x86_64__)
    return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#elif defined(__aarch64__)
    // The syndrome is a record behind the registers; its magic number is that of esr_context.
    const auto* record =
        reinterpret_cast<const uint32_t*>(static_cast<const ucontext_t*>(context)->uc_mcontext.__reserved);
    for (; record[0] != 0; record += record[1] / sizeof(uint32_t)) {
        if (record[0] == 0x45535201) {
            return (record[2] & 0x40) != 0;
        }
    }
    return false;
#else
#error "how a signal handler learns that an access was a write is not known for this processor"
#endif
}

// While a program's handler runs, this signal, one of libc's own, is blocked, as the kernel would block the handler's
// signal. A fault in the handler is then the crash, and not another call.
constexpr uint64_t in_handler = uint64_t{1} << (32 - 1);

uint64_t word_of(const sigset_t& set) {
    uint64_t word = 0;
    std::memcpy(&word, &set, sizeof(word));
    return word;
}

uint64_t mask_of(void* context) {
    return word_of(static_cast<const ucontext_t*>(context)->uc_sigmask);
}

// Calls a handler as the kernel does: with the signals blocked that the interrupted code had blocked, and those of the
// action.
void call_handler(const struct sigaction& action, int number, siginfo_t* info, void* context) {
    const uint64_t mask =
        mask_of(context) | word_of(action.sa_mask) | ((action.sa_flags & SA_NODEFER) != 0 ? 0 : in_handler);
    if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
        struct sigaction none = {};
        none.sa_handler = SIG_DFL;
        change_action(number, &none, nullptr);
    }
    ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof(mask));
    if ((action.sa_flags & SA_SIGINFO) != 0) {
        action.sa_sigaction(number, info, context);
    } else {
        action.sa_handler(number);
    }
}

// This code must not need the heap or a lock, because a program that crashes may have left both in any state.
bool is_traced() {
    char text[2048];
    const int file = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? ::read(file, text, sizeof(text) - 1) : 0;
    if (file >= 0) {
        ::close(file);
    }
    text[length > 0 ? length : 0] = '\0';
    constexpr char name[] = "TracerPid:\t";
    const char* const found = std::strstr(text, name);
    return found != nullptr && found[sizeof(name) - 1] != '0';
}

// A debugger is told to let SIGSEGV and SIGBUS pass, because shared memory raises them all the time. A trap stops the
// program before the crash, while the stack is there; under another kind of tracer the program goes on.
void stop_in_debugger() {
    if (is_traced()) {
        struct sigaction nothing = {};
        struct sigaction before = {};
        nothing.sa_handler = [](int) {};
        ::sigaction(SIGTRAP, &nothing, &before);
        ::raise(SIGTRAP);
        ::sigaction(SIGTRAP, &before, nullptr);
    }
}

// When the instruction is executed again, it crashes; a signal that a process has sent is sent again.
void crash(int number, const siginfo_t* info) {
    stop_in_debugger();
    set_default_action(number);
    if (info->si_code <= 0) {
        ::raise(number);
    }
}

void pass_on(int number, siginfo_t* info, void* context) {
    const struct sigaction action = action_of_program(number);
    const bool is_fault = info->si_code > 0;
    const bool has_handler = action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
    if (has_handler && !(is_fault && (mask_of(context) & in_handler) != 0)) {
        call_handler(action, number, info, context);
    } else if (has_handler || action.sa_handler == SIG_DFL || is_fault) {  // no program can ignore a fault
        crash(number, info);
    }
}

// Uses neither the heap nor locks, which other threads of the parent may have held.
void say_forked(int parent) {
    char text[160];
    const int length =
        std::snprintf(text, sizeof(text),
                      "syncline: process %d of the job has made this process by fork(); shared memory is "
                      "not there for it\n",
                      parent);
    (void)!::write(STDERR_FILENO, text, static_cast<size_t>(length));
}

}  // namespace

Faults::Faults(uint8_t* memory, uint64_t bytes, std::function<void(uint64_t, bool)> handle)
    : memory_(memory), bytes_(bytes), handle_(std::move(handle)) {
    active = this;
    unblock_fault_signals();
    take_signals(on_signal);
}

Faults::~Faults() {
    give_signals_back();
    active = nullptr;
}

void Faults::disown(uint32_t process) {
    parent_ = static_cast<int>(process);
}

void Faults::serve(uint64_t offset, bool write) {
    const WaitsOn waits_on;
    run_with_room([&] { handle_(offset, write); });
}

void Faults::on_signal(int number, siginfo_t* info, void* context) {
    const int saved = errno;
    const uint64_t offset =
        active != nullptr ? static_cast<uint64_t>(static_cast<uint8_t*>(info->si_addr) - active->memory_) : UINT64_MAX;
    // A signal that a process has sent has no address.
    if (active == nullptr || info->si_code <= 0 || offset >= active->bytes_) {
        pass_on(number, info, context);
    } else if (active->parent_ < 0) {
        active->serve(offset, is_write(context));
    } else {
        say_forked(active->parent_);
        crash(number, info);
    }
    errno = saved;
}

}  // namespace syncline::dsm
