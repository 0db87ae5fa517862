// SPDX-License-Identifier: BSD-3-Clause
// The common part of the program's parts.
#pragma once

#include <syncline.h>

#include <functional>
#include <string>

#include "base/prng.h"
#include "tests/linearizability/history.h"

namespace linearizability {

struct Plan {
    std::string folder;
    uint64_t turns = 0;  // of each PE: an operation or three on words, or a critical section
    uint64_t seed = 0;
    bool mortal = false;  // the last PE is to be killed: operations may fail
};

// Says what went wrong, with the library's own sentence, and ends the job.
[[noreturn]] void fail(const std::string& what);

inline void must(int status, const char* call) {
    if (status != SYNCLINE_OK) {
        fail(std::string(call) + ": " + syncline_last_error());
    }
}

// Zeroed symmetric memory; ends in a barrier.
syncline_address_t allocate(size_t bytes);

// Calls `act` once a turn, for as long as the plan says. Where a PE is to be killed that includes having noticed it,
// and some time after; the one that is killed acts until then.
void act_on(const Plan& plan, const std::function<void()>& act, const std::function<bool()>& noticed_death);

// Random operations on words.
void use_words(const Plan& plan, History* history, syncline::Prng* random);

// Critical sections under each kind of lock.
void use_locks(const Plan& plan, History* history, syncline::Prng* random);

}  // namespace linearizability
