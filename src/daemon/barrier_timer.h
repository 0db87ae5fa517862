// SPDX-License-Identifier: BSD-3-Clause
// Asks for the messages that a running barrier misses, for processes that compute after they have started it: the
// counterpart of the retransmission timer.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "firmware/native.h"

namespace syncline {

class BarrierTimer {
  public:
    // `ranks` and `emit` as in fw_nic. All outlive the timer.
    BarrierTimer(const fw_config* config, const uint16_t* ranks, fw_barrier* barriers,
                 void (*emit)(void* context, uint32_t node, const uint8_t* packet, uint32_t length), void* context);

    // Asks for every barrier that has not moved for a while. Returns how many messages were asked for.
    int do_work(uint64_t now);

    // A node that a running barrier has not heard from, and for how long the barrier has not moved.
    struct Wait {
        uint32_t barrier;
        uint32_t node;
        uint64_t for_ns;
    };
    std::vector<Wait> waits(uint64_t now) const;

  private:
    struct Seen {
        uint64_t word = 0;
        uint64_t since_ns = 0;  // or when it was last asked for
        uint64_t moved_ns = 0;
    };

    fw_counters counters_ = {};
    fw_nic nic_ = {};
    std::array<Seen, SLW_BARRIERS_MAX> seen_ = {};
};

}  // namespace syncline
