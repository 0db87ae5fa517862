// SPDX-License-Identifier: BSD-3-Clause
// What contenders for a lock send to the words of other nodes, in the format of the traces of `syncline sim`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/measure/job.h"

namespace syncline::bench {

struct LockTraceOptions {
    std::vector<uint32_t> contenders;  // ranks
    uint32_t pes_of_node;
    uint64_t sections;  // of each contender
    uint64_t gate;      // how many will have passed the gate with these
};

// PE 0 is the home. Times are from the first operation; initiators are ranks; the words of a node are numbered as they
// first appear.
std::string record_lock_trace(BenchJob* job, const LockTraceOptions& options);

}  // namespace syncline::bench
