// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/live/faults.h"

#include <ucontext.h>

#include <cerrno>
#include <utility>

#include "base/failure.h"

namespace syncline::dsm {
namespace {

constexpr int signals[] = {SIGSEGV, SIGBUS};

// Written while no thread uses shared memory.
Faults* active = nullptr;
struct sigaction before[2] = {};

// The processor says so; elsewhere a write first comes as a read, and then once more.
bool is_write(const void* context) {
#if defined(__x86_64__)
    return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#elif defined(__aarch64__)
    // The syndrome is a record behind the registers; the record's magic number is that of esr_context.
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

}  // namespace

Faults::Faults(uint8_t* memory, uint64_t bytes, std::function<void(uint64_t, bool)> handle)
    : memory_(memory), bytes_(bytes), handle_(std::move(handle)) {
    active = this;
    struct sigaction action = {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
    for (int i = 0; i < 2; i++) {
        if (::sigaction(signals[i], &action, &before[i]) != 0) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "cannot handle signal {}", signals[i]);
        }
    }
}

Faults::~Faults() {
    for (int i = 0; i < 2; i++) {
        ::sigaction(signals[i], &before[i], nullptr);
    }
    active = nullptr;
}

void Faults::on_signal(int number, siginfo_t* info, void* context) {
    const int saved = errno;
    const uint64_t offset =
        active != nullptr ? static_cast<uint64_t>(static_cast<uint8_t*>(info->si_addr) - active->memory_) : UINT64_MAX;
    // A signal that a process has sent has no address.
    if (active != nullptr && info->si_code > 0 && offset < active->bytes_) {
        active->handle_(offset, is_write(context));
    } else {
        pass_on(number, info, context);
    }
    errno = saved;
}

void Faults::pass_on(int number, siginfo_t* info, void* context) {
    const struct sigaction& old = before[number == signals[0] ? 0 : 1];
    if ((old.sa_flags & SA_SIGINFO) != 0) {
        old.sa_sigaction(number, info, context);
    } else if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) {
        old.sa_handler(number);
    } else if (old.sa_handler == SIG_DFL || info->si_code > 0) {  // no program can ignore a fault
        // The instruction, executed again, is the crash; a signal that was sent is sent again.
        struct sigaction crash = {};
        crash.sa_handler = SIG_DFL;
        ::sigaction(number, &crash, nullptr);
        if (info->si_code <= 0) {
            ::raise(number);
        }
    }
}

}  // namespace syncline::dsm
