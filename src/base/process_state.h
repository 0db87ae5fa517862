// SPDX-License-Identifier: BSD-3-Clause
// Another process, as /proc shows it.
#pragma once

#include <sys/types.h>

namespace syncline {

struct ProcessState {
    char letter = 0;  // of proc(5); 0: there is no such process, or no /proc
    pid_t parent = 0;
};

ProcessState process_state(pid_t process);

// It has ended. One that its parent has not reaped yet has ended, too.
bool process_has_ended(pid_t process);

}  // namespace syncline
