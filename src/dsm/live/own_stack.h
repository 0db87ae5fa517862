// SPDX-License-Identifier: BSD-3-Clause
// A stack of the library's for each thread that needs one: a thread of the program may have 16 KiB, of which a signal
// takes three, and what the library does needs more than what is left. Likewise on a stack for signals, and on one that
// the program has made for itself.
//
// Threads: any; each has its own stack, made at its first use, which goes with the thread.
#pragma once

#include <type_traits>

namespace syncline::dsm {

// On the caller's own stack where this thread is on the library's already.
void call_on_own_stack(void (*call)(void*), void* argument);

// Whether the stack that the caller is on is this thread's, and much of it is left.
bool has_room_on_stack();

// Runs a body, which throws nothing, here, or on the library's stack where this one has little room.
template <typename Body>
void run_with_room(Body&& body) {
    if (__builtin_expect(has_room_on_stack(), 1)) {
        body();
    } else {
        call_on_own_stack([](void* argument) { (*static_cast<std::remove_reference_t<Body>*>(argument))(); }, &body);
    }
}

}  // namespace syncline::dsm
