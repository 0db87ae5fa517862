// SPDX-License-Identifier: BSD-3-Clause
#include "waits.h"

#include <cmath>
#include <thread>

namespace syncline_python {
namespace {
std::thread::id main_thread;
constexpr double seconds_max = 1e9;  // more is for ever
}  // namespace

void remember_main_thread() {
    main_thread = std::this_thread::get_id();
}

bool is_main_thread() {
    return std::this_thread::get_id() == main_thread;
}

int run_handlers_in_call(void*) {
    const nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals();
}

std::optional<Clock::time_point> Timeout::end_of(std::optional<double> seconds) {
    if (!seconds || *seconds >= seconds_max) {
        return std::nullopt;
    }
    if (!(*seconds >= 0)) {
        throw nb::value_error("a timeout is a number of seconds from 0 on, or None to wait for ever");
    }
    return Clock::now() + std::chrono::microseconds(std::llround(*seconds * 1e6));
}

}  // namespace syncline_python
