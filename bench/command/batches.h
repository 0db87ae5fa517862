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
    struct Size {
        uint64_t iterations;  // of a batch
        uint64_t repeats;     // batches of every condition
        std::vector<uint32_t> counts;
    };
    Size usual, few;  // `few`: with --quick
    bool quick = false;
    uint64_t iterations = 0;
    uint64_t repeats = 0;
    std::vector<uint32_t> counts = {};
    ResultFiles files = {};

    struct Words {
        const char* iterations;  // "barriers"
        const char* option;      // "--nodes"
        const char* counts;      // "numbers of nodes"
        uint32_t least, most;    // bounds of the counts
    };
    // For a result's file.
    Json parameters() const { return {{"quick", quick}, {"iterations", iterations}, {"repeats", repeats}}; }
    void add_options(CLI::App* command, const Words& words);
    // Behind the command line: sets the options that it does not give.
    void set_defaults();
};

}  // namespace syncline::bench
