// SPDX-License-Identifier: BSD-3-Clause
// Waits of this module: other Python threads run meanwhile, and Ctrl-C ends them.
//
// Python runs the handlers of signals in the main thread alone, between two steps of its interpreter. So a wait without
// a bound is cut: after each slice_us the main thread lets handlers run, and an exception of theirs ends the wait. In a
// call towards another node the library itself asks for them. Other threads wait in one piece.
#pragma once

#include <nanobind/nanobind.h>
#include <syncline.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include "status.h"

namespace nb = nanobind;

namespace syncline_python {

using Clock = std::chrono::steady_clock;

// Longer than a lock's looks at the PEs in front of it (0.1 s and 0.1 s), which begin anew with each wait.
inline constexpr int64_t slice_us = 250'000;

// The thread that imports the module is taken for the main one, as Python's interpreter does.
void remember_main_thread();
bool is_main_thread();

inline void run_signal_handlers() {
    if (PyErr_CheckSignals() != 0) {
        throw nb::python_error();
    }
}

template <typename Call>
auto without_gil(Call&& call) {
    const nb::gil_scoped_release released;
    return call();
}

// For the library: runs the handlers; an exception of theirs, which stays pending, ends the call.
int run_handlers_in_call(void*);

// While it exists, the library has handlers run in the calls of the main thread. A handler may make calls itself, which
// leave that as it is.
class HandlersInCalls {
  public:
    HandlersInCalls() : is_first_(is_main_thread() && !exists_) {
        if (is_first_) {
            exists_ = true;
            (void)syncline_set_interrupt(run_handlers_in_call, nullptr);
        }
    }
    ~HandlersInCalls() {
        if (is_first_) {
            exists_ = false;
            (void)syncline_set_interrupt(nullptr, nullptr);
        }
    }
    HandlersInCalls(const HandlersInCalls&) = delete;
    HandlersInCalls& operator=(const HandlersInCalls&) = delete;

  private:
    inline static bool exists_ = false;  // the main thread's own
    const bool is_first_;
};

// As without_gil(), for calls that wait for other nodes: in the main thread handlers run meanwhile, and raise.
template <typename Call>
int interruptibly(Call&& call) {
    const int status = without_gil([&] {
        const HandlersInCalls handlers;
        return call();
    });
    if (PyErr_Occurred() != nullptr) {
        throw nb::python_error();
    }
    return status;
}

// As long as `near` says, a call ends at once, for its target is memory of this node: letting go of the GIL would take
// longer.
template <typename Call>
int call(bool near, Call&& body) {
    return near ? body() : interruptibly(body);
}

// The time that a caller gave, in microseconds; nothing: for ever.
class Timeout {
  public:
    explicit Timeout(std::optional<double> seconds) : end_(end_of(seconds)) {}

    int64_t left_us() const {
        return end_ ? std::max<int64_t>(
                          0, std::chrono::duration_cast<std::chrono::microseconds>(*end_ - Clock::now()).count())
                    : INT64_MAX;
    }
    // How long to wait before the handlers of signals run; negative: for ever.
    int64_t slice() const {
        const int64_t left = left_us();
        return is_main_thread() ? std::min(left, slice_us) : end_ ? left : -1;
    }

  private:
    static std::optional<Clock::time_point> end_of(std::optional<double> seconds);

    const std::optional<Clock::time_point> end_;
};

// Has `wait(microseconds)` wait, which returns _TIMEOUT where it waits in vain. False: the time has passed.
template <typename Wait>
bool wait_in_slices(const Timeout& timeout, Wait&& wait) {
    for (;;) {
        const int status = without_gil([&] { return wait(timeout.slice()); });
        if (status != SYNCLINE_ERR_TIMEOUT) {
            check(status);
            return true;
        }
        run_signal_handlers();
        if (timeout.left_us() == 0) {
            return false;
        }
    }
}

}  // namespace syncline_python
