// SPDX-License-Identifier: BSD-3-Clause
// The arguments of `syncline perf`. The command reads them to refuse mistakes, and each PE reads them once more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace syncline::perf {

// The PE that begins operations, whose times count, and the PE that they go to.
struct Pair {
    int from = 0;
    int to = 0;
};

// Which pairs are measured, one after the other.
struct PairsWanted {
    enum class Kind { kOne, kAll, kList } kind = Kind::kOne;
    std::vector<Pair> list = {};  // of kList
};

struct Options {
    std::vector<std::string> words = {};  // the operations; empty: the usual ones
    std::string sizes;                    // empty: the usual ones
    std::string pairs = "one";
    double seconds = 0;       // for each number; 0: the usual time
    uint64_t iterations = 0;  // operations of a batch; 0: as many as the time allows
    uint64_t warm_up = 0;     // operations; 0: as many as a part of the time allows
    uint32_t repeats = 5;     // batches
    uint32_t window = 64;
    bool quick = false;
    std::string json;
};

// Describes the command, and has it fill the options when it parses.
void add_options(CLI::App* command, Options* options);

// Throws Failure for the words that only the functions below and select() understand.
void check_options(const Options& options);

// The bytes of "8,4KiB,1MiB" and, doubled again and again, of "8..1MiB". Throws Failure.
std::vector<uint64_t> parse_sizes(const std::string& text);

// "one", "all", or "0-1,2-3". Throws Failure.
PairsWanted parse_pairs(const std::string& text);

}  // namespace syncline::perf
