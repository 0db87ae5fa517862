// SPDX-License-Identifier: BSD-3-Clause
// exit() in front of libc's. In a process that runs a function of CREATE, only the function ends, and the process gets
// further functions later. In other processes, the process leaves the job while all data that libraries keep for its
// thread are still there.
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
