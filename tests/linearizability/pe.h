// SPDX-License-Identifier: BSD-3-Clause
// The part that both parts of the program, words and locks, share.
#pragma once

#include <syncline.h>

#include <functional>
#include <string>

#include "base/prng.h"
#include "tests/linearizability/history.h"

namespace linearizability {

struct Plan {
    std::string folder;
    uint64_t turns = 0;  // number of turns of each PE: one to three operations on words, or a critical section
    uint64_t seed = 0;
    bool mortal = false;  // the last PE is to be killed: operations may fail
};

// Says what went wrong, with the library's own error message, and ends the job.
[[noreturn]] void fail(const std::string& what);

inline void must(int status, const char* call) {
    if (status != SYNCLINE_OK) {
        fail(std::string(call) + ": " + syncline_last_error());
    }
}

// Allocates zeroed symmetric memory; ends in a barrier.
syncline_address_t allocate(size_t bytes);

// Calls `act` once a turn, for as long as the plan says. If a PE is to be killed, the others go on until they have
// noticed its death, and for some time after; the killed PE acts until it is killed.
void act_on(const Plan& plan, const std::function<void()>& act, const std::function<bool()>& noticed_death);

// Executes random operations on words.
void use_words(const Plan& plan, History* history, syncline::Prng* random);

// Executes critical sections under each kind of lock.
void use_locks(const Plan& plan, History* history, syncline::Prng* random);

}  // namespace linearizability
