// SPDX-License-Identifier: BSD-3-Clause
// All that the library asks of the machine to let time pass, beside now_ns() of clock.h: the CPU for others, sleep and
// who ends it, a thread of its own. One definition for real, in os.cpp. The deterministic simulation
// (tests/deterministic) links its own in the place of that file, so the code above is the same there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace syncline {

// One turn of a loop that looks at memory: the other thread of the core may go ahead.
void cpu_relax();

// Lets others have the CPU, if they want it.
void yield_cpu();

// The CPUs that this thread may run on, as bits: CPU number modulo 256. All 0: not known.
struct CpuSet {
    uint64_t bits[4] = {};
};
CpuSet allowed_cpus();

// Sleeps until one of the descriptors is readable, which returns true, or the time is over.
bool sleep_on(const std::vector<int>& fds, uint64_t duration_ns);

// An eventfd: ends the sleep of the thread that sleeps on it; forgets that it was signalled.
void signal_event(int fd);
void drain_event(int fd);

// A thread of the library beside the application's, which keep the signals. The destructor waits for its end.
class Background {
  public:
    virtual ~Background() = default;
};
std::unique_ptr<Background> run_in_background(std::function<void()> body);

}  // namespace syncline
