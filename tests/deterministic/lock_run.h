// SPDX-License-Identifier: BSD-3-Clause
// One seed's run of PEs that use a lock while faults happen.
#pragma once

#include <cstdint>
#include <string>

#include "tests/deterministic/any_lock.h"
#include "tests/deterministic/coverage.h"

namespace syncline::deterministic {

struct LockOutcome {
    std::string wrong;  // what went wrong, or ""
    uint64_t digest = 0;
    uint64_t grants = 0;
    uint64_t packets = 0;
    uint64_t virtual_ns = 0;
    uint64_t slowest_answer_ns = 0;  // the longest time until a PE was told that the lock is broken
    bool fault = false;              // a PE died, was cut off or stopped
    bool broken = false;             // calls may have said that the lock is broken
    Elements struck;                 // which PEs the fault struck
};

// `forgetful`: NICs execute repeated requests again, a fault that the run must find. Returns the elements that the
// fixed seeds must strike, for each kind of lock.
Elements lock_faults(LockKind kind);

LockOutcome run_locks(uint64_t seed, LockKind kind, bool forgetful = false);

}  // namespace syncline::deterministic
