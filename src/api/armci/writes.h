// SPDX-License-Identifier: BSD-3-Clause
// Puts and accumulates that are under way. Their calls have returned, because the library has copied what they read;
// an operation of this process on the same memory waits for them, so that each sees what those before it did
// (location consistency). A fence waits for all.
#pragma once

#include <cstdint>
#include <deque>

#include "syncline.h"

namespace syncline::armci {

class Writes {
  public:
    // From `low` to before `high` at the process.
    void add(int process, const uint8_t* low, const uint8_t* high, syncline_request_t request);
    // Waits for those that have memory in common.
    void order(int process, const uint8_t* low, const uint8_t* high);
    void finish(int process);
    void finish_all();

  private:
    static constexpr size_t under_way_max = 64;
    struct Write {
        const uint8_t *low, *high;
        syncline_request_t request;
        int process;
    };
    template <typename Which>
    void finish_those(Which which);

    std::deque<Write> under_way_;  // in the order of the calls
};

}  // namespace syncline::armci
