// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/barrier_timer.h"

#include "base/clock.h"

namespace syncline {

namespace {
constexpr uint64_t patience_ns = 20 * ns_per_ms;
constexpr uint32_t asked_at_once = 8;
}  // namespace

BarrierTimer::BarrierTimer(const fw_config* config, const uint16_t* ranks, fw_barrier* barriers,
                           void (*emit)(void* context, uint32_t node, const uint8_t* packet, uint32_t length),
                           void* context) {
    nic_.config = config;
    nic_.ranks = ranks;
    nic_.barriers = barriers;
    nic_.counters = &counters_;
    nic_.emit = emit;
    nic_.emit_context = context;
}

int BarrierTimer::do_work(uint64_t now) {
    uint32_t asked = 0;
    for (uint32_t id = 0; id < SLW_BARRIERS_MAX; id++) {
        const fw_barrier& barrier = nic_.barriers[id];
        const uint64_t word = __atomic_load_n(&barrier.word, __ATOMIC_ACQUIRE);
        Seen& seen = seen_[id];
        if (__atomic_load_n(&barrier.state, __ATOMIC_ACQUIRE) != FW_BARRIER_OPEN || (word & 255) == FW_BARRIER_DONE ||
            word != seen.word) {
            seen = {word, now};
        } else if (now >= seen.since_ns + patience_ns) {
            asked += fw_barrier_pull(&nic_, id, asked_at_once, 0);
            seen.since_ns = now;
        }
    }
    return static_cast<int>(asked);
}

}  // namespace syncline
