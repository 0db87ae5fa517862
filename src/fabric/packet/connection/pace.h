// SPDX-License-Identifier: BSD-3-Clause
// How long a connection's packets wait for their answers before they are sent again.
//
// A node that is slow answers late. Packets that are sent again meanwhile make its queue longer, until it does little
// else than to recognise them. So the first wait follows the answers, by what they tell for certain (Karn and
// Partridge, Improving Round-Trip Time Estimates, 1987): behind a packet that was sent once, that no wait need be
// longer than twice the time it took; behind one that was sent again, that the answer took no less than the time since
// the last sending. So a first wait is never longer than twice what an answer took. An answer that comes at once behind
// the last sending tells of loss, and nothing of lateness. Silence that lasts is loss as well: many packets are to be
// sent again before a node is taken for dead. Where answers always take one to two times the least wait, each packet is
// sent twice: that is taken for loss, too.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.h"

namespace syncline {

class Pace {
  public:
    // `least_ns`: the first wait where answers are not late; `peer_timeout_ns`: the silence that ends the job.
    Pace(uint64_t least_ns, uint64_t peer_timeout_ns)
        : least_ns_(least_ns),
          most_ns_(std::max(least_ns, std::min(peer_timeout_ns, usual_timeout_ns) / 16)),
          loss_ns_(std::min(peer_timeout_ns, usual_timeout_ns) / 4) {}

    uint64_t first_ns() const { return first_ns_; }
    // The wait behind one that was in vain, where nothing has come for so long.
    uint64_t next_ns(uint64_t waited_ns, uint64_t silent_ns) const {
        return std::min(2 * waited_ns, may_be_late(silent_ns) ? std::max(late_ns, 2 * first_ns_) : late_ns);
    }
    bool may_be_late(uint64_t silent_ns) const { return silent_ns < loss_ns_; }
    // So long nothing but lateness can be told from silence.
    uint64_t silence_ns() const { return first_ns_ == least_ns_ ? 0 : std::min(4 * first_ns_, loss_ns_); }

    // Is an answer to a packet that was sent once to be timed?
    bool is_late() const { return late_ != 0 || first_ns_ != least_ns_; }
    // An answer to a packet that was sent once.
    void answered_within(uint64_t ns) {
        late_ = 0;
        first_ns_ = std::clamp(2 * ns, least_ns_, first_ns_);
    }
    // An answer to one that was sent again: how long behind the last sending. The wait is half as long again,
    // because it may have been the answer to an earlier one.
    void answered_after(uint64_t ns) {
        if (ns >= least_ns_ && ++late_ >= late_least) {
            first_ns_ = std::max(first_ns_, std::min(ns + ns / 2, most_ns_));
        }
    }

    // The longest wait where answers are not late, which is less than the daemon's timer waits.
    static constexpr uint64_t late_ns = 20 * ns_per_ms;

  private:
    static constexpr uint32_t late_least = 4;  // answers in a row: some are late wherever packets are lost
    static constexpr uint64_t usual_timeout_ns = 5 * ns_per_s;  // no longer one makes waits longer

    uint64_t least_ns_;
    uint64_t most_ns_;
    uint64_t loss_ns_;
    uint64_t first_ns_ = least_ns_;
    uint32_t late_ = 0;  // answers, behind the last one to a packet that was sent once
};

}  // namespace syncline
