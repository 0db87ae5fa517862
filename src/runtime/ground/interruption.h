// SPDX-License-Identifier: BSD-3-Clause
// How a program ends a wait of its own thread: syncline_set_interrupt() names a function, and a call that may be
// interrupted asks it now and then while it waits.
//
// begin_call() says whether the call that the thread enters is one of these. A wait that gives up has its fabrics
// forget the operation, so no answer reaches the caller's memory any more.
//
// Shared words: none. Each thread has its own, as in call.h.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/ground/call.h"
#include "syncline.h"

namespace syncline {

void set_interrupt(syncline_interrupt_t ask, void* context);

// Returns whether the call that the thread is in has to give up. Once it has to, the answer stays until the next call.
bool asks_to_give_up(uint64_t now);
inline bool is_interrupted(uint64_t now) {
    return __builtin_expect(interruption != kNotInterruptible, 0) && asks_to_give_up(now);
}

// While it exists, the thread's waits are not interrupted: a page fault of shared memory waits in the midst of another
// call.
class WaitsOn {
  public:
    WaitsOn() : before_(std::exchange(interruption, kNotInterruptible)) {}
    ~WaitsOn() { interruption = before_; }
    WaitsOn(const WaitsOn&) = delete;
    WaitsOn& operator=(const WaitsOn&) = delete;

  private:
    const uint64_t before_;
};

}  // namespace syncline
