// SPDX-License-Identifier: BSD-3-Clause
// Asks for the messages that a running barrier misses, for processes that compute after they have started it: the
// counterpart of the retransmission timer.
#pragma once

#include <array>
#include <cstdint>

#include "daemon/sending_nic.h"

namespace syncline {

class BarrierTimer {
  public:
    // As SendingNic.
    BarrierTimer(const Job& job, fw_barrier* barriers, SendingNic::Emit emit, void* context);

    // Asks for every barrier that has not moved for a while. Returns how many messages were asked for.
    int do_work(uint64_t now);

  private:
    struct Seen {
        uint64_t word = 0;
        uint64_t since_ns = 0;
    };

    const fw_barrier* const barriers_;
    SendingNic nic_;
    std::array<Seen, SLW_BARRIERS_MAX> seen_ = {};
};

}  // namespace syncline
