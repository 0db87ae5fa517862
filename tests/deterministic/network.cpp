// SPDX-License-Identifier: BSD-3-Clause
#include "tests/deterministic/network.h"

namespace syncline::deterministic {

void Network::send(const Packet& packet) {
    Prng& prng = scheduler_->prng();
    sent_++;
    for (const Shrink& shrink : shrinks_) {
        if (sent_ == shrink.packets) {
            shrank_ |= shrink.length < links_[shrink.node];
            links_[shrink.node] = std::min(shrink.length, whole_[shrink.node]);
        }
    }
    if (!carries(packet.from, packet.to, packet.bytes.size())) {
        too_long_ += shrank_ ? 0 : 1;
        lost_to_shrink_ += shrank_ ? 1 : 0;
        return;
    }
    for (int copies = prng.chance(faults_.repeat) ? 2 : 1; copies > 0; copies--) {
        if (is_cut(packet) || prng.chance(faults_.loss)) {
            continue;
        }
        const uint64_t delay = 500 + prng.below(prng.chance(faults_.late) ? faults_.late_ns : faults_.delay_ns);
        scheduler_->at(scheduler_->now() + delay, [this, packet] {
            if (!is_cut(packet)) {
                longest_ = std::max(longest_, packet.bytes.size());
                arrive(packet);
            }
        });
    }
}

void Network::arrive(const Packet& packet) {
    if (execution_ns_ == 0) {
        receiver_(packet);
        return;
    }
    uint64_t& until = busy_until_[packet.to];
    until = std::max(until, scheduler_->now());
    if (until - scheduler_->now() > faults_.backlog * execution_ns_) {
        return;
    }
    until += execution_ns_;
    scheduler_->at(until, [this, packet] { receiver_(packet); });
}

}  // namespace syncline::deterministic
