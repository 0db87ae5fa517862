// SPDX-License-Identifier: BSD-3-Clause
// A moment in which no other thread of this process runs, for work that would lose what they write meanwhile.
//
// A helper stops them: a process that shares this one's memory and traces each thread (ptrace). So it stops a thread
// wherever it is, in a loop or in a system call, also one that blocks all signals; no handler of the program runs, and
// a system call that was interrupted goes on. (As after a debugger's stop, a few return EINTR: signal(7) lists them.)
// Where tracing is not permitted, a debugger or valgrind has the threads, or a thread does not stop in time, run() does
// the work if the other threads sleep, and looks afterwards whether one of them has run.
//
// Threads: run() is for one thread at a time, and so is the time from begin() to the end of the fork.
#pragma once

#include <sys/types.h>

namespace syncline {

// For a function that runs in the helper, whose stack and thread-local storage no sanitizer knows.
#define SYNCLINE_HELPER __attribute__((no_sanitize_address, no_sanitize_thread))

// Runs in the helper, which has the caller's thread-local storage: nothing but system calls and copies, no lock, no
// allocation, no sanitizer. False: it could not be done.
using StandstillWork = bool (*)(void* context);

// kDone: the work is done. kDisturbed: it is, and another thread ran meanwhile. Else it is not, and this is why.
enum class Standstill { kDone, kNotPermitted, kNotInTime, kFailed, kDisturbed };
// As a part of a sentence: why the threads cannot be stopped.
const char* reason_of(Standstill outcome);

// The number of threads of this process, without those of an emulator; where /proc does not tell, 2 if there may be
// more than one.
int count_threads();

// Runs `work` while all other threads of the process stand still.
Standstill run_at_standstill(StandstillWork work, void* context);

// The moment of a fork(), which begins where the kernel copies the memory: other threads stand still, and so does the
// caller, from the entry of the system call to its exit. `before` runs at the entry, `after` at the exit, both in the
// helper: what `before` has done is in the child, too.
class ForkMoment {
  public:
    ForkMoment(StandstillWork before, StandstillWork after) : before_(before), after_(after) {}

    // In the handler that prepares fork(). False: there will be no such moment.
    bool begin(void* context);
    // `before` has been done. In the parent behind the fork(), and in the child.
    bool happened() const;
    // In the parent behind the fork(). kFailed: `after` could not be done.
    Standstill end();
    // In the child.
    void forget();

  private:
    bool begin(void* context, bool named);

    const StandstillWork before_;
    const StandstillWork after_;
};

}  // namespace syncline
