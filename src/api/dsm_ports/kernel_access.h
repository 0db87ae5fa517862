// SPDX-License-Identifier: BSD-3-Clause
// Memory that the kernel reads and writes for a system call. The kernel does not wait for a page of shared memory, and
// fails with EFAULT. So these functions fetch the pages before the call, and once more if another thread's acquire has
// given them up meanwhile.
//
// read() and write() are called before main() and in signal handlers. If a call touches no shared memory, nothing here
// allocates, takes a lock or changes errno.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstddef>

namespace syncline::ports {

enum class Access { reads, writes };  // by the kernel

// Returns whether the memory is shared; if so, its pages are here now. `caller` is the instruction behind the call:
// calls of the library itself are not handled.
bool fetch(const void* memory, size_t bytes, Access access, const void* caller);

// As fetch(), for the parts of the list, and the list itself.
bool fetch_parts(const iovec* parts, size_t count, Access access, const void* caller);
bool fetch_message(const msghdr* message, Access access, const void* caller);

// Makes a call until it does not fail because of a page that was given up meanwhile.
template <typename Fetch, typename Make>
auto with_memory(Fetch&& fetch_all, Make&& make) {
    constexpr int tries = 64;
    for (int i = 0;; i++) {
        const bool shared = fetch_all();
        const auto result = make();
        if (!(result < 0 && errno == EFAULT && shared && i < tries)) {
            return result;
        }
    }
}

}  // namespace syncline::ports
