// SPDX-License-Identifier: BSD-3-Clause
// Signals that ask the process to end while it makes an object that must not stay half-made.
#pragma once

#include <csignal>
#include <cstring>
#include <ctime>

#include "base/failure.h"

namespace syncline {

inline constexpr int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

inline bool is_ending(int signal) {
    for (const int ending : ending_signals) {
        if (signal == ending) {
            return true;
        }
    }
    return false;
}

class Interrupted : public Failure {
  public:
    explicit Interrupted(int signal)
        : Failure(SYNCLINE_ERR_SYSTEM, fmt::format("ended by signal {} ({})", signal, ::strsignal(signal))),
          signal_(signal) {}

    int signal() const { return signal_; }

  private:
    int signal_;
};

inline sigset_t ending_signal_set() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : ending_signals) {
        sigaddset(&set, signal);
    }
    return set;
}

// Throws Interrupted if a signal to end has come and is held back.
inline void check_interruption() {
    const sigset_t set = ending_signal_set();
    const timespec now = {};
    if (const int signal = ::sigtimedwait(&set, nullptr, &now); signal > 0) {
        throw Interrupted(signal);
    }
}

// Holds those signals back from this thread. Code that makes an object in steps calls check_interruption() between the
// steps, and undoes its steps when Interrupted comes.
class DeferredSignals {
  public:
    DeferredSignals() {
        const sigset_t set = ending_signal_set();
        ::pthread_sigmask(SIG_BLOCK, &set, &before_);
    }
    // Signals that have come and were not thrown take effect now.
    ~DeferredSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    DeferredSignals(const DeferredSignals&) = delete;
    DeferredSignals& operator=(const DeferredSignals&) = delete;

    // The object is made: from now on signals come too late, until the process ends, which is to be soon. If a signal
    // killed the process after this, its status would say that nothing was made.
    void forget() const {
        for (const int signal : ending_signals) {
            ::signal(signal, SIG_IGN);  // discards a signal that is held back, too
        }
    }

  private:
    sigset_t before_ = {};
};

}  // namespace syncline
