// SPDX-License-Identifier: BSD-3-Clause
// The seam to the operating system: the calls by which the library lets time pass. They are the time (clock.h), the CPU
// for others (yield.h), sleep and the end of a sleep, and threads of the library; the end of the process is one more.
// os.cpp defines the real ones. The deterministic simulation (tests/deterministic) links definitions of its own in
// place of that file, so it runs the library as it is. scripts/check-os finds code of the library that bypasses the
// seam.
//
// In the simulation, threads switch only inside these calls, and a std::mutex there blocks all of them: no thread holds
// one across any of these calls.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/yield.h"

namespace syncline {

// Called in each turn of a loop that polls memory: lets the core's other hardware thread go ahead.
void cpu_relax();

// The CPUs on which this thread may run, as bits: CPU number modulo 256. All 0: unknown.
struct CpuSet {
    uint64_t bits[4] = {};
};
CpuSet allowed_cpus();

// Sleeps until one of the descriptors is readable, and then returns true, or until the time is over.
bool sleep_on(const std::vector<int>& fds, uint64_t duration_ns);

// make_event() returns an eventfd, or -1; signal_event() ends a sleep on it, and drain_event() resets it.
int make_event();
void signal_event(int fd);
void drain_event(int fd);

// A thread of the library beside the application's threads, which keep the signals. The destructor waits for its end.
class Background {
  public:
    virtual ~Background() = default;
};
std::unique_ptr<Background> run_in_background(std::function<void()> body);

// Lets one thread wait until another ends the wait: ring() makes the present wait, or else the next one, return.
class Doorbell {
  public:
    virtual ~Doorbell() = default;
    virtual void ring() = 0;
    virtual void wait() = 0;
};
std::unique_ptr<Doorbell> make_doorbell();

// Ends this process at once, without the functions that exit() calls.
[[noreturn]] void end_process(int code);

}  // namespace syncline
