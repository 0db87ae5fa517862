// SPDX-License-Identifier: BSD-3-Clause
// A number of events at once, and then a number per second: a token bucket, kept as the time at which it is full again.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"

namespace syncline {

class RateLimit {
  public:
    constexpr RateLimit(uint64_t burst, uint64_t per_second)
        : interval_ns_(ns_per_s / per_second), depth_ns_(burst * interval_ns_) {}
    // Allows `burst` events at once, and then one in so many seconds.
    static constexpr RateLimit every(uint64_t burst, uint64_t seconds) {
        RateLimit limit(burst, 1);
        limit.interval_ns_ *= seconds;
        limit.depth_ns_ *= seconds;
        return limit;
    }

    // Returns the limit with so many more events at once.
    RateLimit deeper(uint64_t events) const {
        RateLimit limit = *this;
        limit.depth_ns_ += events * interval_ns_;
        return limit;
    }

    // Returns whether one more event may happen now; if so, the event counts.
    bool take(uint64_t now) {
        const uint64_t full = std::max(full_ns_, now) + interval_ns_;
        if (full - now > depth_ns_) {
            return false;
        }
        full_ns_ = full;
        return true;
    }

    // Returns whether the bucket is full: then the limit remembers no event.
    bool idle(uint64_t now) const { return full_ns_ <= now; }

  private:
    uint64_t interval_ns_;
    uint64_t depth_ns_;
    uint64_t full_ns_ = 0;
};

}  // namespace syncline
