// SPDX-License-Identifier: BSD-3-Clause
// A signal handler or the thread's cancellation may come between any two instructions, unless a thread stops both.
#pragma once

#include <pthread.h>

#include <csignal>

namespace syncline {

// As the thread had set them before.
struct Interruptions {
    sigset_t blocked;
    int cancel_state;
};

inline Interruptions stop_interruptions() {
    Interruptions before = {};
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before.blocked);
    ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before.cancel_state);
    return before;
}

inline void allow_interruptions(const Interruptions& before) {
    ::pthread_setcancelstate(before.cancel_state, nullptr);
    ::pthread_sigmask(SIG_SETMASK, &before.blocked, nullptr);
}

// Stops both in its scope.
class Uninterrupted {
  public:
    Uninterrupted() : before_(stop_interruptions()) {}
    ~Uninterrupted() { allow_interruptions(before_); }
    Uninterrupted(const Uninterrupted&) = delete;
    Uninterrupted& operator=(const Uninterrupted&) = delete;

  private:
    const Interruptions before_;
};

}  // namespace syncline
