// SPDX-License-Identifier: BSD-3-Clause
// A moment in which no other thread of this process runs, for work during which their writes would be lost.
//
// A helper stops them: a process that shares this process's memory and traces each thread (ptrace). So it stops a
// thread wherever it is, in a loop or in a system call, even one that blocks all signals; no handler of the program
// runs, and an interrupted system call goes on. (As after a debugger's stop, a few return EINTR: signal(7) lists them.)
// If tracing is not permitted, a debugger or valgrind has the threads, or a thread does not stop in time, run() does
// the work if the other threads sleep, and checks afterwards whether one of them has run.
//
// Threads: one thread at a time calls run(), and one at a time is between begin() and the end of the fork.
#pragma once

#include <sys/types.h>

namespace syncline {

// For a function that runs in the helper, whose stack and thread-local storage sanitizers do not know.
#define SYNCLINE_HELPER __attribute__((no_sanitize_address, no_sanitize_thread))

// Runs in the helper, which has the caller's thread-local storage: it may make only system calls and copies, with no
// lock, no allocation and no sanitizer. Returns false if it could not be done.
using StandstillWork = bool (*)(void* context);

// kDone: the work is done. kDisturbed: the work is done, but another thread ran meanwhile. Others: the work is not
// done, for this reason.
enum class Standstill { kDone, kNotPermitted, kNotInTime, kFailed, kDisturbed };
// Returns, as a part of a message, why the threads cannot be stopped.
const char* reason_of(Standstill outcome);

// Returns the number of threads of this process, without those of an emulator; if /proc does not tell, 2 if there may
// be more than one.
int count_threads();

// Runs `work` while all other threads of the process stand still.
Standstill run_at_standstill(StandstillWork work, void* context);

// The moment of a fork(), which begins when the kernel copies the memory: other threads stand still, and so does the
// caller, from the entry of the system call to its exit. `before` runs at the entry, `after` at the exit, both in the
// helper: the effects of `before` are in the child, too.
class ForkMoment {
  public:
    ForkMoment(StandstillWork before, StandstillWork after) : before_(before), after_(after) {}

    // Called in the handler that prepares fork(). Returns false if there will be no such moment.
    bool begin(void* context);
    // Returns whether `before` has been done; called in the parent after the fork(), and in the child.
    bool happened() const;
    // Called in the parent after the fork(). kFailed: `after` could not be done.
    Standstill end();
    // Called in the child.
    void forget();

  private:
    bool begin(void* context, bool named);

    const StandstillWork before_;
    const StandstillWork after_;
};

}  // namespace syncline
