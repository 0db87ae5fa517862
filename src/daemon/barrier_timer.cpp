// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/barrier_timer.h"

#include "base/clock.h"

namespace syncline {

namespace {
constexpr uint64_t patience_ns = 20 * ns_per_ms;
constexpr uint32_t asked_at_once = 8;
}  // namespace

BarrierTimer::BarrierTimer(const Job& job, fw_barrier* barriers, SendingNic::Emit emit, void* context)
    : barriers_(barriers), nic_(job, barriers, emit, context) {}

int BarrierTimer::do_work(uint64_t now) {
    uint32_t asked = 0;
    for (uint32_t id = 0; id < SLW_BARRIERS_MAX; id++) {
        const fw_barrier& barrier = barriers_[id];
        const uint64_t word = __atomic_load_n(&barrier.word, __ATOMIC_ACQUIRE);
        Seen& seen = seen_[id];
        if (__atomic_load_n(&barrier.state, __ATOMIC_ACQUIRE) != FW_BARRIER_OPEN || (word & 255) == FW_BARRIER_DONE ||
            word != seen.word) {
            seen = {word, now};
        } else if (now >= seen.since_ns + patience_ns) {
            asked += fw_barrier_pull(nic_.get(), id, asked_at_once, 0);
            seen.since_ns = now;
        }
    }
    return static_cast<int>(asked);
}

}  // namespace syncline
