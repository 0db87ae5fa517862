// SPDX-License-Identifier: BSD-3-Clause
// Programs of another processor run in an emulator of programs, such as qemu-user.
#pragma once

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace syncline {

// Returns whether such an emulator runs this process. It has threads and an environment of its own beside the
// program's, and lacks ptrace(), which every kernel has.
inline bool is_emulated() {
    return ::syscall(SYS_ptrace, PTRACE_DETACH, 0, 0, 0) < 0 && errno == ENOSYS;
}

}  // namespace syncline
