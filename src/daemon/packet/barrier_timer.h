// SPDX-License-Identifier: BSD-3-Clause
// Asks for the messages that a running barrier misses, for processes that compute after they have started it. It is the
// counterpart of the retransmission timer.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/trace.h"
#include "daemon/packet/barrier_sender.h"

namespace syncline {

class BarrierTimer {
  public:
    // As the constructor of BarrierSender. The trace outlives the object.
    BarrierTimer(const Job& job, fw_barrier* barriers, BarrierSender::Emit emit, void* context, const Trace* trace);

    // Asks for the messages of every barrier that has not moved for a while. Returns how many messages it has asked
    // for.
    int do_work(uint64_t now);

    // A node from which a running barrier has had no message, and for how long the barrier has not moved.
    struct Wait {
        uint32_t barrier;
        uint32_t node;
        uint64_t for_ns;
    };
    std::vector<Wait> waits(uint64_t now) const;

  private:
    struct Seen {
        uint64_t word = 0;
        uint64_t since_ns = 0;  // when it last moved or messages were last asked for
        uint64_t moved_ns = 0;
        uint64_t noted_ns = 0;  // when the trace last told of messages that were asked for
    };

    void note_asked(uint32_t id, uint64_t word) const;

    const fw_barrier* const barriers_;
    const Trace* const trace_;
    BarrierSender sender_;
    std::array<Seen, SLW_BARRIERS_MAX> seen_ = {};
};

}  // namespace syncline
