// SPDX-License-Identifier: BSD-3-Clause
// The options of a benchmark that measures batches among several numbers of nodes or contenders, one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/report/result_files.h"
#include "bench/report/result_json.h"

namespace syncline::bench {

struct Batches {
    uint64_t iterations;  // of a batch
    uint64_t repeats;     // batches of every condition
    std::vector<uint32_t> counts;
    ResultFiles files;

    struct Words {
        const char* iterations;  // "barriers"
        const char* option;      // "--nodes"
        const char* counts;      // "numbers of nodes"
        uint32_t least, most;    // bounds of the counts
    };
    // For a result's file.
    Json parameters() const { return {{"iterations", iterations}, {"repeats", repeats}}; }
    void add_options(CLI::App* command, const Words& words);
};

}  // namespace syncline::bench
