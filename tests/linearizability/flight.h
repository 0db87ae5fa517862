// SPDX-License-Identifier: BSD-3-Clause
// One operation on a word, or a pair of longs, from its start to its end.
#pragma once

#include <syncline.h>

#include "tests/linearizability/history.h"

namespace linearizability {

struct Flight {
    int word = 0;  // number of the word, for the caller that starts the operation
    int rank = 0;
    syncline_address_t target = 0;
    bool pair = false;
    Operation operation{};
    uint64_t argument = 0;
    uint64_t comparand = 0;
    uint64_t value = 0;
    Record* record = nullptr;
    syncline_request_t request = 0;
    int status = SYNCLINE_OK;
    syncline_pair_t wide[3] = {};  // for a pair: operand, comparand, result
};

// Starts the operation; if `blocking`, it is complete on return. A pair has kSwap, kCas and kRead, which is a
// compare&swap that misses.
void start(Flight* flight, bool blocking);
// Waits until the operation is complete; `status` is its status.
void finish(Flight* flight);

// A pair holds a value and its complement, so that a torn pair shows.
constexpr syncline_pair_t pair_of(uint64_t value) {
    return {value, ~value};
}

}  // namespace linearizability
