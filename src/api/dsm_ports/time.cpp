// SPDX-License-Identifier: BSD-3-Clause
// The program's clock, and the sleep of a process that waits for work. No simulation runs this code (scripts/check-os).
#include <sched.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "job.h"

namespace syncline::ports {

unsigned long microseconds() {
    timeval now = {};
    ::gettimeofday(&now, nullptr);
    return static_cast<unsigned long>(now.tv_sec) * 1'000'000 + static_cast<unsigned long>(now.tv_usec);
}

void await_launcher() {
    ::sleep(1);
}

void Patience::wait() {
    constexpr int turns_awake = 64;
    constexpr long shortest_ns = 50'000;
    constexpr int doublings = 5;  // up to 1.6 ms
    if (turns_++ < turns_awake) {
        ::sched_yield();
        return;
    }
    const timespec span = {0, shortest_ns << std::min((turns_ - turns_awake) / 8, doublings)};
    ::nanosleep(&span, nullptr);
}

}  // namespace syncline::ports
