// SPDX-License-Identifier: BSD-3-Clause
// A stack of the library's for each thread that needs one. A thread of the program may have 16 KiB, of which a signal
// takes three, and the library needs more than the rest. A stack for signals, or one that the program has made for
// itself, may be too small as well.
//
// Threads: any; each has a stack of its own, made at its first use, which ends with the thread.
#pragma once

#include <type_traits>

namespace syncline::dsm {

// Calls on the library's stack; or on the current one if this thread is on the library's stack already.
void call_on_own_stack(void (*call)(void*), void* argument);

// Returns whether the caller is on this thread's own stack, with much of it left.
bool has_room_on_stack();

// Runs a body, which throws nothing, here or, if there is little room on this stack, on the library's.
template <typename Body>
void run_with_room(Body&& body) {
    if (__builtin_expect(has_room_on_stack(), 1)) {
        body();
    } else {
        call_on_own_stack([](void* argument) { (*static_cast<std::remove_reference_t<Body>*>(argument))(); }, &body);
    }
}

}  // namespace syncline::dsm
