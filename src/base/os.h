// SPDX-License-Identifier: BSD-3-Clause
// The seam to the operating system: all that the library asks of it to let time pass. That is the time (clock.h), the
// CPU for others (yield.h), sleep and the end of a sleep, and threads of the library. os.cpp defines it for real. The
// deterministic simulation (tests/deterministic) links definitions of its own in the place of that file, so it runs the
// library as it is. scripts/check-os finds code of the library that passes the seam by.
//
// In the simulation threads change places only inside these calls, and a std::mutex there blocks all of them: a thread
// holds one over none of these calls.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/yield.h"

namespace syncline {

// One turn of a loop that looks at memory: the other thread of the core may go ahead.
void cpu_relax();

// The CPUs that this thread may run on, as bits: CPU number modulo 256. All 0: not known.
struct CpuSet {
    uint64_t bits[4] = {};
};
CpuSet allowed_cpus();

// Sleeps until one of the descriptors is readable, which returns true, or the time is over.
bool sleep_on(const std::vector<int>& fds, uint64_t duration_ns);

// An eventfd, or -1; signal_event() ends a sleep on it, and drain_event() forgets that it was signalled.
int make_event();
void signal_event(int fd);
void drain_event(int fd);

// A thread of the library beside the application's, which keep the signals. The destructor waits for its end.
class Background {
  public:
    virtual ~Background() = default;
};
std::unique_ptr<Background> run_in_background(std::function<void()> body);

// One thread waits, another one ends that: ring() makes the wait that is on, or else the next one, return.
class Doorbell {
  public:
    virtual ~Doorbell() = default;
    virtual void ring() = 0;
    virtual void wait() = 0;
};
std::unique_ptr<Doorbell> make_doorbell();

}  // namespace syncline
