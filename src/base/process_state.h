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

// Returns whether /proc is this process's: it may belong to another namespace of processes (`unshare --pid`), in which
// processes have other numbers. Allocates nothing.
bool proc_is_ours();

// Returns whether the process has ended, also if its parent has not reaped it yet.
bool process_has_ended(pid_t process);

}  // namespace syncline
