// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking operations under way: at most a window of them, each in a slot of its own.
#pragma once

#include <syncline.h>

#include <cstdint>
#include <vector>

#include "bench/timing/timed_calls.h"

namespace syncline::perf {

class Flight {
  public:
    explicit Flight(uint32_t window) : requests_(window, 0) {}

    // The slot of the next operation: the oldest one, which was there before, is complete.
    uint32_t next_slot() {
        const uint32_t slot = next_;
        next_ = next_ + 1 == requests_.size() ? 0 : next_ + 1;
        complete(&requests_[slot]);
        return slot;
    }
    syncline_request_t* request(uint32_t slot) { return &requests_[slot]; }

    // Completes all.
    void land() {
        for (syncline_request_t& request : requests_) {
            complete(&request);
        }
    }

  private:
    static void complete(syncline_request_t* request) {
        if (*request != 0) {
            bench::must(syncline_wait(*request));
            *request = 0;
        }
    }

    std::vector<syncline_request_t> requests_;
    uint32_t next_ = 0;
};

}  // namespace syncline::perf
