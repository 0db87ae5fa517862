// SPDX-License-Identifier: BSD-3-Clause
// Records the operations of a lock's contenders on other nodes, in the format of the traces of `syncline sim`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/measure/job.h"

namespace syncline::bench {

struct LockTraceOptions {
    std::vector<uint32_t> contenders;  // their ranks
    uint32_t pes_of_node;
    uint64_t sections;  // of each contender
    uint64_t gate;      // how many PEs will have passed the gate once these have
};

// PE 0 is the home. Times count from the first operation; initiators are ranks; the words of a node are numbered in the
// order in which they first appear.
std::string record_lock_trace(BenchJob* job, const LockTraceOptions& options);

}  // namespace syncline::bench
