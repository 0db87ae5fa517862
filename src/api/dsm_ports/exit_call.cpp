// SPDX-License-Identifier: BSD-3-Clause
// exit() in front of libc's: in a process that CREATE has made, the function ends, and the process has others later. In
// others the process leaves the job while all that libraries keep for its thread is still there.
#include <dlfcn.h>

#include <cstdlib>

#include "job.h"
#include "parmacs_job.h"

extern "C" __attribute__((visibility("default"), noreturn)) void exit(int status) noexcept {
    syncline::ports::leave_function(status);
    syncline::ports::end(status);
    using Exit = void (*)(int);
    reinterpret_cast<Exit>(::dlsym(RTLD_NEXT, "exit"))(status);
    __builtin_unreachable();
}
