// SPDX-License-Identifier: BSD-3-Clause
// Processes, as /proc shows them.
#pragma once

#include <sys/types.h>

namespace syncline {

struct ProcessState {
    char letter = 0;  // of proc(5); 0: there is no such process, or no /proc
    pid_t parent = 0;
};

ProcessState process_state(pid_t process);

// /proc may be that of another namespace of processes (`unshare --pid`), in which they have other numbers. Allocates
// nothing.
bool proc_is_ours();

// It has ended. One that its parent has not reaped yet has ended, too.
bool process_has_ended(pid_t process);

}  // namespace syncline
