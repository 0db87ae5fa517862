// SPDX-License-Identifier: BSD-3-Clause
// The helper of base/standstill.h: a process with the caller's memory, which stops the other threads of the caller's
// process, does the work, and lets them go on, each with the signal that it was about to take.
//
// It runs with the caller's thread-local storage, so it calls no library: it makes system calls directly, without
// errno. If its caller dies, it ends, too. If one thread cannot be stopped, it lets all go on, does no work and reports
// why.
//
// Shared words: the caller writes `may_begin`, and the helper writes `outcome` and `happened`, each with release or a
// system call behind it; the reader's acquire or the return of wait4() pairs with that. The caller writes all other
// words of Helper before the helper exists, or the helper alone writes them.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "base/standstill.h"

namespace syncline::standstill {

constexpr uint32_t threads_max = 16384;
constexpr size_t stack_bytes = 128 << 10;

enum Outcome : uint32_t { kStarting, kFollows, kDone, kNotPermitted, kNotInTime, kFailed };

struct Stopped {
    pid_t thread;
    int signal;  // the signal that it was about to take, and takes when it goes on
};

struct Helper {
    pid_t process;  // the caller's
    pid_t caller;
    int tasks;  // the folder with a name for each thread
    StandstillWork before;
    StandstillWork after;  // NULL: there is no fork to follow
    void* context;
    uint32_t may_begin;
    uint32_t outcome;
    uint32_t happened;
    uint32_t count;
    Stopped stopped[threads_max];
    alignas(64) uint8_t stack[stack_bytes];
};

// For clone(). It first waits for `may_begin`.
int help(void* argument);

void futex_wake(uint32_t* word);
// Sleeps while the word has this value, for a tenth of a second at most.
void futex_wait(uint32_t* word, uint32_t value);

}  // namespace syncline::standstill
