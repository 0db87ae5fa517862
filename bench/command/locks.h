// SPDX-License-Identifier: BSD-3-Clause
// `syncline bench lock`: its results, as a table and as a file.
#pragma once

#include <string>
#include <vector>

#include "bench/report/machine.h"
#include "bench/report/result_json.h"
#include "bench/report/results.h"

namespace syncline::bench {

struct LockResults {
    uint64_t iterations = 0;
    uint64_t repeats = 0;
    std::vector<std::string> remarks;
    // Each quantity has a row for each number of contenders, and in it a cell for each condition ("xdp mcs").
    std::vector<Row> both;        // ns: acquire and release
    std::vector<Row> acquire;     // ns
    std::vector<Row> release;     // ns
    std::vector<Row> requests;    // for each acquire and release
    std::vector<Row> unfairness;  // the slowest contender's mean acquire over the quickest's
};

std::string lock_table_of(const LockResults& results, const Machine& machine);
Json lock_json_of(const LockResults& results, const Machine& machine);

}  // namespace syncline::bench
