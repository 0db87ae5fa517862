// SPDX-License-Identifier: BSD-3-Clause
// The measurements in their order. Every PE makes the same plan of the same options.
#pragma once

#include <vector>

#include "tools/perf/job.h"

namespace syncline::perf {

struct Step {
    const Entry* entry;
    uint64_t bytes;
};

// Steps whose numbers stand in one table, or in matrices, for each of the pairs.
struct Section {
    std::vector<Step> steps;
    std::vector<Pair> pairs;
    bool matrix = false;

    bool of_all_pes() const { return steps.front().entry->party == Party::kAll; }
    bool is_sized() const { return steps.front().entry->unit != 0; }
};

struct Plan {
    std::vector<Section> sections;
    uint64_t area_bytes = 0;  // of memory for data
    std::vector<int> homes;   // of locks
};

// Throws Failure if the job has not the PEs, or an operation none of the sizes.
Plan make_plan(const Options& options, const Job& job);

}  // namespace syncline::perf
