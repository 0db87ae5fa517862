// SPDX-License-Identifier: BSD-3-Clause
// Puts and accumulates that are under way. Their calls have returned, because the library has copied what they read.
// ARMCI orders the operations on one process, so the next one towards it waits for those of blocking calls; those of
// non-blocking calls let only an operation on the same memory wait (location consistency). A fence waits for all.
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
    // To be called once for an operation: waits for those of blocking calls towards the process.
    void order(int process);
    // And for each part of it: waits for those of non-blocking calls that have memory in common.
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
