// SPDX-License-Identifier: BSD-3-Clause
// The call of a public interface that a thread is in. A front-end sets it on entry, `begin_call("shmem_put")`, and the
// message of a failure names it; no function between the two passes it on. It stays until the thread's next call.
//
// Shared words: none. Each thread has its own, in the static storage of its control block, so setting it is one store.
// `constinit` tells the compiler that no thread has to initialise it first, which each use would otherwise check.
#pragma once

namespace syncline {

extern constinit thread_local const char* current_call [[gnu::tls_model("initial-exec")]];

inline void begin_call(const char* name) {
    current_call = name;
}

}  // namespace syncline
