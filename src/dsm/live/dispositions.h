// SPDX-License-Identifier: BSD-3-Clause
// The program's own actions for SIGSEGV and SIGBUS, while the library has these two signals.
//
// The kernel has the library's handler then, and the program's calls (src/api/dsm/signal_calls.cpp) read and write what
// is kept here: a handler that the program installs later takes nothing from shared memory. The kernel's action has
// SA_ONSTACK as the program's has it, so a handler for stacks that overflow finds its own stack.
//
// Threads: any, and handlers of signals. Each change is made with all signals blocked, and touches no memory of the
// program's, which may be shared memory.
#pragma once

#include <csignal>

namespace syncline::dsm {

using SignalHandler = void (*)(int number, siginfo_t* info, void* context);

bool is_fault_signal(int number);

// The two signals cannot be blocked: the kernel kills a thread that has them blocked and accesses a page without right.
void remove_fault_signals(sigset_t* set);
void unblock_fault_signals();

// sigaction(), as the program calls it.
int change_action(int number, const struct sigaction* to, struct sigaction* before);
struct sigaction action_of_program(int number);

// Whether the program's calls come by way of this library. They do not where dlopen() has loaded it: libc's names come
// first, then.
bool are_called_by_program();

// The library's handler has both signals from now on, and has them no more. Throws Failure.
void take_signals(SignalHandler handler);
void give_signals_back();
// Where the program's calls have not come by way of this library: its handler goes back in front, and what stood there
// is the program's.
void retake_signals();

// The default action, in the kernel: for a signal that is to be the crash.
void set_default_action(int number);

}  // namespace syncline::dsm
