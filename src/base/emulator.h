// SPDX-License-Identifier: BSD-3-Clause
// Programs of another processor run in an emulator of programs, qemu-user.
#pragma once

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace syncline {

// Such an emulator has threads and an environment of its own beside the program's, and knows no ptrace(), as every
// kernel does.
inline bool is_emulated() {
    return ::syscall(SYS_ptrace, PTRACE_DETACH, 0, 0, 0) < 0 && errno == ENOSYS;
}

}  // namespace syncline
