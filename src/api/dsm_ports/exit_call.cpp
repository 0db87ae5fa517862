// SPDX-License-Identifier: BSD-3-Clause
// exit() in front of libc's: in a process that CREATE has made, the function ends, and the process has others later.
#include <dlfcn.h>

#include <cstdlib>

#include "parmacs_job.h"

extern "C" __attribute__((visibility("default"), noreturn)) void exit(int status) noexcept {
    syncline::ports::leave_function(status);
    using Exit = void (*)(int);
    reinterpret_cast<Exit>(::dlsym(RTLD_NEXT, "exit"))(status);
    __builtin_unreachable();
}
