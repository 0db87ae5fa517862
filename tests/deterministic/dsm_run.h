// SPDX-License-Identifier: BSD-3-Clause
// One seed's run of a random program on shared memory.
#pragma once

#include <cstdint>
#include <string>

#include "dsm/shared_memory.h"
#include "tests/deterministic/coverage.h"

namespace syncline::deterministic {

struct DsmOutcome {
    std::string wrong;  // what went wrong, or ""
    uint64_t digest = 0;
    uint64_t packets = 0;
    uint64_t virtual_ns = 0;
    Elements reached;
};

// `dies`: a process is killed at some step, or its node is.
DsmOutcome run_dsm(uint64_t seed, dsm::Protocol protocol, bool dies);

}  // namespace syncline::deterministic
