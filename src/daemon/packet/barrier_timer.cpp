// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/packet/barrier_timer.h"

#include "base/clock.h"

namespace syncline {

namespace {
constexpr uint64_t patience_ns = 20 * ns_per_ms;
constexpr uint32_t asked_at_once = 8;

// Returns the nodes from which the barrier's present phase still misses a message. Processes write the barrier.
std::vector<uint32_t> missing(const fw_barrier& barrier, uint64_t word) {
    const auto epoch = static_cast<uint32_t>(word >> 32);
    const uint32_t phase = word >> 8 & 255;
    std::vector<uint32_t> nodes;
    if ((word & 255) == FW_BARRIER_DONE || phase >= FW_BARRIER_PHASES) {
        return nodes;
    }
    const fw_barrier_phase what = barrier.phase[phase];
    for (uint32_t i = what.hear_from; i < what.hear_to && i < FW_BARRIER_ENTRIES; i++) {
        const uint64_t record = __atomic_load_n(&barrier.record[2 * i + (epoch & 1)].word, __ATOMIC_RELAXED);
        if (record != (uint64_t{epoch} << 32 | FW_RECORD_HEARD)) {
            nodes.push_back(barrier.hear[i].node);
        }
    }
    return nodes;
}

}  // namespace

BarrierTimer::BarrierTimer(const Job& job, fw_barrier* barriers, BarrierSender::Emit emit, void* context,
                           const Trace* trace)
    : barriers_(barriers), trace_(trace), sender_(job, barriers, emit, context) {}

int BarrierTimer::do_work(uint64_t now) {
    uint32_t asked = 0;
    for (uint32_t id = 0; id < SLW_BARRIERS_MAX; id++) {
        const fw_barrier& barrier = barriers_[id];
        const uint64_t word = __atomic_load_n(&barrier.word, __ATOMIC_ACQUIRE);
        Seen& seen = seen_[id];
        if (__atomic_load_n(&barrier.state, __ATOMIC_ACQUIRE) != FW_BARRIER_OPEN || (word & 255) == FW_BARRIER_DONE ||
            word != seen.word) {
            seen = {word, now, now};
        } else if (now >= seen.since_ns + patience_ns) {
            asked += fw_barrier_pull(sender_.get(), id, asked_at_once, 0);
            seen.since_ns = now;
            if (now >= seen.noted_ns + ns_per_s) {
                seen.noted_ns = now;
                note_asked(id, word);
            }
        }
    }
    return static_cast<int>(asked);
}

void BarrierTimer::note_asked(uint32_t id, uint64_t word) const {
    if (!trace_->is_on()) {
        return;
    }
    for (const uint32_t node : missing(barriers_[id], word)) {
        trace_->note(TraceKind::kBarrierAsked, static_cast<int32_t>(node), id);
    }
}

std::vector<BarrierTimer::Wait> BarrierTimer::waits(uint64_t now) const {
    std::vector<Wait> waits;
    for (uint32_t id = 0; id < SLW_BARRIERS_MAX; id++) {
        const uint64_t word = __atomic_load_n(&barriers_[id].word, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&barriers_[id].state, __ATOMIC_ACQUIRE) != FW_BARRIER_OPEN || word != seen_[id].word) {
            continue;
        }
        for (const uint32_t node : missing(barriers_[id], word)) {
            waits.push_back({id, node, now - seen_[id].moved_ns});
        }
    }
    return waits;
}

}  // namespace syncline
