// SPDX-License-Identifier: BSD-3-Clause
// The operations that `syncline perf` measures, by name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace syncline::perf {

enum class Party {
    kInitiator,  // the other PE of the pair sleeps
    kBoth,       // the other PE answers
    kAll,        // every PE of the job
};

struct Entry {
    const char* name;   // in options, tables and files
    const char* group;  // selects this one and others of its kind
    Party party = Party::kInitiator;
    uint32_t unit = 0;     // its sizes are multiples of so many bytes; 0: it has one size
    uint32_t bytes = 0;    // that size; 0: it moves no data of the program
    bool streams = false;  // several may be under way at once: it has a rate
    double part = 1;       // that counts of a time: half of a round trip

    bool is_atomic() const { return unit == 0 && bytes != 0; }
};

// Those that the words name, each once, in the order of the table. Throws Failure.
std::vector<const Entry*> select(const std::vector<std::string>& words);

// The words that select by kind.
std::vector<std::string> operation_words();

}  // namespace syncline::perf
