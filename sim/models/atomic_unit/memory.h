// SPDX-License-Identifier: BSD-3-Clause
// The memory of one node: its contents, its latency, and the time that each access takes of its bandwidth.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/kernel/kernel.h"

namespace syncline::sim::atomic_unit {

struct MemoryParameters {
    double latency_ns = 70;  // Underwood 2008, table I: 140 to 160 cycles of 2 GHz; section VI.B computes with 70 ns
    double bandwidth_gbps = 6.4;  // Underwood 2008, table I
    double access_bytes = 8;      // bytes of the bandwidth that a random access takes
};

class Memory {
  public:
    Memory(const MemoryParameters& parameters, uint64_t words)
        : words_(words),
          latency_(from_ns(parameters.latency_ns)),
          occupancy_(transfer_time(parameters.access_bytes, parameters.bandwidth_gbps)) {}

    // Returns when an access that begins now is over; accesses queue for the bandwidth.
    Time access(Time now) {
        free_ = std::max(now, free_) + occupancy_;
        return free_ + latency_;
    }
    Time latency() const { return latency_; }

    uint64_t load(uint64_t word) const { return words_[word]; }
    void store(uint64_t word, uint64_t value) { words_[word] = value; }
    const std::vector<uint64_t>& words() const { return words_; }

  private:
    std::vector<uint64_t> words_;
    const Time latency_;
    const Time occupancy_;
    Time free_ = 0;
};

}  // namespace syncline::sim::atomic_unit
