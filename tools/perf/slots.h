// SPDX-License-Identifier: BSD-3-Clause
// The area as places for data of one size: one place for each operation under way, or where the area is too small for
// that, fewer, which they share.
#pragma once

#include <algorithm>
#include <vector>

#include "bench/timing/timed_calls.h"
#include "tools/perf/operation.h"

namespace syncline::perf {

class Slots {
  public:
    explicit Slots(const Task& task)
        : to_(task.pair.to),
          area_(task.ground.area),
          bytes_(task.bytes),
          count_(static_cast<uint32_t>(std::clamp<uint64_t>(task.ground.area_bytes / task.bytes, 1, task.window))) {}

    uint32_t count() const { return count_; }
    uint64_t bytes() const { return bytes_; }
    // The bytes of all slots together.
    uint64_t all_bytes() const { return bytes_ * count_; }
    syncline_address_t address(uint32_t slot) const { return area_ + slot * bytes_; }
    // The slot behind this one.
    uint32_t after(uint32_t slot) const { return slot + 1 == count_ ? 0 : slot + 1; }

    // All slots at the target at once.
    void put(const std::vector<uint8_t>& data) const {
        bench::must(syncline_put(to_, area_, data.data(), data.size()));
    }
    std::vector<uint8_t> get() const {
        std::vector<uint8_t> data(all_bytes());
        bench::must(syncline_get(to_, area_, data.data(), data.size()));
        return data;
    }

  private:
    const int to_;
    const syncline_address_t area_;
    const uint64_t bytes_;
    const uint32_t count_;
};

}  // namespace syncline::perf
