// SPDX-License-Identifier: BSD-3-Clause
// Puts and accumulates that are under way. Their calls have returned, because the library has copied the data that they
// read. ARMCI orders the operations on one process, so the next operation on it waits for the writes of blocking calls.
// Writes of non-blocking calls hold up only an operation on the same memory (location consistency). A fence waits for
// all writes.
#pragma once

#include <cstdint>
#include <deque>

#include "syncline.h"

namespace syncline::armci {

class Writes {
  public:
    // Memory of a process, from `low` to before `high`.
    struct Range {
        int process;
        const uint8_t *low, *high;
    };
    void add(const Range& range, bool blocking, syncline_request_t request);
    // Called once for an operation: waits for the writes of blocking calls to the process.
    void order(int process);
    // Called for each part of the operation: waits for the writes of non-blocking calls to the same memory.
    void order(const Range& range);
    void finish(int process);
    void finish_all();

  private:
    static constexpr size_t under_way_max = 64;
    struct Write {
        Range range;
        bool blocking;
        syncline_request_t request;
    };
    template <typename Which>
    void finish_those(Which which);

    std::deque<Write> under_way_;  // in the order of the calls
};

}  // namespace syncline::armci
