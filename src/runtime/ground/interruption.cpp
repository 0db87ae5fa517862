// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/ground/interruption.h"

#include "base/clock.h"

namespace syncline {

constinit thread_local uint64_t interruption = kNotInterruptible;

namespace {

// A short wait asks nothing. A person who has pressed Ctrl-C takes this for at once.
constexpr uint64_t ask_after_ns = 50 * ns_per_ms;

struct Question {
    syncline_interrupt_t ask;
    void* context;
};
constinit thread_local Question question = {};

}  // namespace

void set_interrupt(syncline_interrupt_t ask, void* context) {
    question = {ask, context};
}

// The program's function may call the library, and so begin other calls.
bool asks_to_give_up(uint64_t now) {
    if (interruption == kGivenUp || question.ask == nullptr) {
        return interruption == kGivenUp;
    }
    if (now < interruption) {
        return false;
    }
    bool gives_up = false;
    if (interruption != kInterruptible) {
        const char* const call = current_call;
        gives_up = question.ask(question.context) != 0;
        current_call = call;
    }
    interruption = gives_up ? static_cast<uint64_t>(kGivenUp) : now + ask_after_ns;
    return gives_up;
}

}  // namespace syncline
