// SPDX-License-Identifier: BSD-3-Clause
// The call of a public interface that a thread is in. A front-end sets it on entry, `begin_call("shmem_put")`, and the
// message of a failure names it; no function between the two passes it on. It stays until the thread's next call.
//
// Shared words: none. Each thread has its own, in the static storage of its control block, so setting one is one store.
// `constinit` tells the compiler that no thread has to initialise it first, which each use would otherwise check.
#pragma once

#include <cstdint>

namespace syncline {

extern constinit thread_local const char* current_call [[gnu::tls_model("initial-exec")]];

// Whether the program may end the waits of this call (interruption.h): one of these, or when to ask the program next.
enum Interruption : uint64_t {
    kNotInterruptible = 0,
    kInterruptible = 1,  // it has not waited yet
    kGivenUp = UINT64_MAX,
};
extern constinit thread_local uint64_t interruption [[gnu::tls_model("initial-exec")]];

inline void begin_call(const char* name, Interruption whether = kNotInterruptible) {
    current_call = name;
    interruption = whether;
}

}  // namespace syncline
