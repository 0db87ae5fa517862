// SPDX-License-Identifier: BSD-3-Clause
// The program's own actions for SIGSEGV and SIGBUS, while the library has these two signals.
//
// The kernel then has the library's handler, and the program's calls (src/api/dsm/signal_calls.cpp) read and write the
// actions that are kept here: a handler that the program installs later takes no fault away from shared memory. The
// kernel's action has SA_ONSTACK as the program's has, so a handler for stack overflows finds its own stack.
//
// Threads: any, and signal handlers. Each change is made with all signals blocked, and touches no memory of the
// program, which may be shared memory.
#pragma once

#include <csignal>

namespace syncline::dsm {

using SignalHandler = void (*)(int number, siginfo_t* info, void* context);

bool is_fault_signal(int number);

// Removes the two signals from a set, because they must not be blocked: the kernel kills a thread that has them blocked
// and accesses a page without the right.
void remove_fault_signals(sigset_t* set);
void unblock_fault_signals();

// sigaction(), as the program calls it.
int change_action(int number, const struct sigaction* to, struct sigaction* before);
struct sigaction action_of_program(int number);

// Returns whether the program's calls reach this library. They do not if dlopen() has loaded it, because then libc's
// names come first.
bool are_called_by_program();

// take_signals() gives both signals to the library's handler, and give_signals_back() back to the program's. Throw
// Failure.
void take_signals(SignalHandler handler);
void give_signals_back();
// If the program's calls have not reached this library, its handler goes back in front, and the action that stood there
// becomes the program's.
void retake_signals();

// Sets the default action in the kernel, for a signal that is to be the crash.
void set_default_action(int number);

}  // namespace syncline::dsm
