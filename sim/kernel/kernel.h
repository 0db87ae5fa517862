// SPDX-License-Identifier: BSD-3-Clause
// The event kernel of the simulator: a clock, and a heap of events.
//
// Events that are due at one time happen in the order in which they were scheduled, so a run depends only on its input.
// One thread uses one Kernel; a sweep gives each of its runs a kernel of its own.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace syncline::sim {

// Picoseconds: fine enough for clocks of 500 MHz, 2 GHz and 33 MHz and for the time of a byte on a link; 64 bits of
// them last for 200 days.
using Time = uint64_t;

constexpr Time ps_per_ns = 1'000;
constexpr Time never = UINT64_MAX;

inline Time from_ns(double nanoseconds) {
    return static_cast<Time>(std::llround(nanoseconds * static_cast<double>(ps_per_ns)));
}
inline double to_ns(Time time) {
    return static_cast<double>(time) / static_cast<double>(ps_per_ns);
}
inline double to_us(Time time) {
    return to_ns(time) / 1000;
}
// A gigabyte per second is a byte per nanosecond.
inline Time transfer_time(double bytes, double gigabytes_per_s) {
    return from_ns(bytes / gigabytes_per_s);
}

class Component {
  public:
    // `what` says which of the component's events this is.
    virtual void handle(uint64_t what) = 0;

  protected:
    ~Component() = default;
};

class Kernel {
  public:
    Time now() const { return now_; }
    uint64_t events() const { return order_; }
    bool idle() const { return heap_.empty(); }
    void reserve(size_t events) { heap_.reserve(events); }

    void at(Time when, Component* target, uint64_t what);
    void after(Time delay, Component* target, uint64_t what) { at(now_ + delay, target, what); }

    // Handles the next event. False: there is none.
    bool step();
    void run() {
        while (step()) {
        }
    }
    // Is called after run(): throws Failure unless the machine has finished its work.
    void check(bool complete) const;

  private:
    struct Event {
        Time time;
        uint64_t order;
        Component* target;
        uint64_t what;

        bool operator<(const Event& other) const {
            return time != other.time ? time < other.time : order < other.order;
        }
    };
    static constexpr size_t arity = 4;  // half the depth of a binary heap, and siblings lie in two cache lines

    void sift_down(const Event& event);

    Time now_ = 0;
    uint64_t order_ = 0;
    std::vector<Event> heap_;
};

}  // namespace syncline::sim
