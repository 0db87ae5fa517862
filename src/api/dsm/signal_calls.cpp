// SPDX-License-Identifier: BSD-3-Clause
// Calls about signals that stand in front of libc's, for all code that the process has linked. SIGSEGV and SIGBUS are
// never blocked, and while there is shared memory the program's actions for them are kept beside the library's
// (dsm/live/dispositions.h). All other signals are left to libc.
//
// Both libsyncline and libsyncline_dsm contain them: a program that links libsyncline_dsm may have libc in front of
// libsyncline.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

// libsyncline's sigaction().
extern "C" __attribute__((visibility("default"))) int syncline_change_action_(int number, const struct sigaction* to,
                                                                              struct sigaction* before);

#define CALL extern "C" __attribute__((visibility("default")))

namespace {

constexpr auto change_action = syncline_change_action_;

bool is_fault_signal(int number) {
    return number == SIGSEGV || number == SIGBUS;
}

// The next library's call of that name. A signal handler may be the first to make a call, so all are looked up when the
// library is loaded.
template <typename Function>
class Next {
  public:
    constexpr explicit Next(const char* name) : name_(name) {}
    Function* find() {
        Function* function = function_.load(std::memory_order_acquire);
        if (function == nullptr) {
            function = reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name_));
            function_.store(function, std::memory_order_release);
        }
        return function;
    }

  private:
    const char* const name_;
    std::atomic<Function*> function_{nullptr};
};

using Handler = void (*)(int);
constinit Next<Handler(int, Handler)> next_signal("signal");
constinit Next<Handler(int, Handler)> next_sysv_signal("__sysv_signal");
constinit Next<Handler(int, Handler)> next_sigset("sigset");
constinit Next<int(int)> next_sighold("sighold");
constinit Next<int(int)> next_sigignore("sigignore");
constinit Next<int(int, const sigset_t*, sigset_t*)> next_sigprocmask("sigprocmask");
constinit Next<int(int, const sigset_t*, sigset_t*)> next_pthread_sigmask("pthread_sigmask");
constinit Next<int(int)> next_sigblock("sigblock");
constinit Next<int(int)> next_sigsetmask("sigsetmask");
constinit Next<int(pthread_attr_t*, const sigset_t*)> next_attr("pthread_attr_setsigmask_np");

__attribute__((constructor)) void begin() {
    next_signal.find();
    next_sysv_signal.find();
    next_sigset.find();
    next_sighold.find();
    next_sigignore.find();
    next_sigprocmask.find();
    next_pthread_sigmask.find();
    next_sigblock.find();
    next_sigsetmask.find();
    next_attr.find();
    // The parent may have blocked them, and all threads would inherit that.
    const uint64_t both = uint64_t{1} << (SIGSEGV - 1) | uint64_t{1} << (SIGBUS - 1);
    ::syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &both, nullptr, sizeof(both));
}

// Replaces the handler, with the flags that the call implies by which the caller installs it.
Handler replace(int number, Handler handler, int flags) {
    struct sigaction action = {};
    struct sigaction before = {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    return handler == SIG_ERR || change_action(number, &action, &before) != 0 ? SIG_ERR : before.sa_handler;
}

// The set without the two signals; NULL stays NULL.
class Allowed {
  public:
    explicit Allowed(const sigset_t* set) : given_(set) {
        if (set != nullptr) {
            set_ = *set;
            ::sigdelset(&set_, SIGSEGV);
            ::sigdelset(&set_, SIGBUS);
        }
    }
    const sigset_t* get() const { return given_ != nullptr ? &set_ : nullptr; }

  private:
    const sigset_t* const given_;
    sigset_t set_ = {};
};

// For functions whose set is an int.
int without_fault_signals(int mask) {
    return mask & ~(1 << (SIGSEGV - 1) | 1 << (SIGBUS - 1));
}

}  // namespace

CALL int sigaction(int number, const struct sigaction* to, struct sigaction* before) noexcept {
    return change_action(number, to, before);
}

CALL Handler signal(int number, Handler handler) noexcept {
    return is_fault_signal(number) ? replace(number, handler, SA_RESTART) : next_signal.find()(number, handler);
}

CALL Handler ssignal(int number, Handler handler) noexcept {
    return ::signal(number, handler);
}

CALL Handler __sysv_signal(int number, Handler handler) noexcept {
    return is_fault_signal(number) ? replace(number, handler, static_cast<int>(SA_RESETHAND) | SA_NODEFER)
                                   : next_sysv_signal.find()(number, handler);
}

CALL Handler sysv_signal(int number, Handler handler) noexcept {
    return ::__sysv_signal(number, handler);
}

CALL Handler sigset(int number, Handler handler) noexcept {
    if (!is_fault_signal(number)) {
        return next_sigset.find()(number, handler);
    }
    struct sigaction now = {};
    return handler != SIG_HOLD                         ? replace(number, handler, 0)
           : change_action(number, nullptr, &now) == 0 ? now.sa_handler
                                                       : SIG_ERR;
}

CALL int sighold(int number) noexcept {
    return is_fault_signal(number) ? 0 : next_sighold.find()(number);
}

CALL int sigignore(int number) noexcept {
    return !is_fault_signal(number) ? next_sigignore.find()(number) : replace(number, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
}

CALL int sigprocmask(int how, const sigset_t* set, sigset_t* before) noexcept {
    return next_sigprocmask.find()(how, how == SIG_UNBLOCK ? set : Allowed(set).get(), before);
}

CALL int pthread_sigmask(int how, const sigset_t* set, sigset_t* before) noexcept {
    return next_pthread_sigmask.find()(how, how == SIG_UNBLOCK ? set : Allowed(set).get(), before);
}

CALL int sigblock(int mask) noexcept {
    return next_sigblock.find()(without_fault_signals(mask));
}

CALL int sigsetmask(int mask) noexcept {
    return next_sigsetmask.find()(without_fault_signals(mask));
}

CALL int pthread_attr_setsigmask_np(pthread_attr_t* attributes, const sigset_t* set) {
    auto* const next = next_attr.find();
    return next == nullptr ? ENOSYS : next(attributes, Allowed(set).get());
}
