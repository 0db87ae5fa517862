// SPDX-License-Identifier: BSD-3-Clause
// How long a connection's packets wait for their answers before they are sent again.
//
// A node that is slow answers late. Packets that are sent again meanwhile make its queue longer, until it does little
// else than recognise them. So the first wait follows the answers, by the facts that they prove (Karn and Partridge,
// Improving Round-Trip Time Estimates, 1987). An answer to a packet that was sent once proves that no wait need be
// longer than twice the time it took. An answer to a packet that was sent again proves that it took at least the time
// since the last sending. So a first wait is never longer than twice the time that an answer took. An answer that comes
// at once behind the last sending is a sign of loss, and none of lateness. Silence that lasts counts as loss as well,
// because many packets must be sent again before a node is taken for dead. If answers always take one to two times the
// least wait, each packet is sent twice: that, too, is taken for loss.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/check.h"
#include "base/clock.h"

namespace syncline {

class Pace {
  public:
    // `least_ns`: the first wait while answers are not late; `peer_timeout_ns`: the silence that ends the job.
    Pace(uint64_t least_ns, uint64_t peer_timeout_ns)
        : least_ns_(least_ns),
          most_ns_(std::max(least_ns, std::min(peer_timeout_ns, usual_timeout_ns) / 16)),
          loss_ns_(std::min(peer_timeout_ns, usual_timeout_ns) / 4) {}

    uint64_t first_ns() const { return first_ns_; }
    // Returns the wait that follows a wait in vain of `waited_ns`, after a silence of `silent_ns`.
    uint64_t next_ns(uint64_t waited_ns, uint64_t silent_ns) const {
        return std::min(2 * waited_ns, may_be_late(silent_ns) ? std::max(late_ns, 2 * first_ns_) : late_ns);
    }
    bool may_be_late(uint64_t silent_ns) const { return silent_ns < loss_ns_; }
    // Returns the silence up to which only lateness can be the reason.
    uint64_t silence_ns() const { return first_ns_ == least_ns_ ? 0 : std::min(4 * first_ns_, loss_ns_); }

    // Returns whether an answer to a packet that was sent once is to be timed.
    bool is_late() const { return late_ != 0 || first_ns_ != least_ns_; }
    // Learns from an answer to a packet that was sent once.
    void answered_within(uint64_t ns) {
        late_ = 0;
        SYNCLINE_ASSERT(first_ns_ >= least_ns_, "%lu ns, at least %lu", first_ns_, least_ns_);
        first_ns_ = std::clamp(2 * ns, least_ns_, first_ns_);
    }
    // Learns from an answer to a packet that was sent again, `ns` after the last sending. The wait becomes half as long
    // again, because the answer may belong to an earlier sending.
    void answered_after(uint64_t ns) {
        if (ns >= least_ns_ && ++late_ >= late_least) {
            first_ns_ = std::max(first_ns_, std::min(ns + ns / 2, most_ns_));
            SYNCLINE_ASSERT(first_ns_ >= least_ns_ && first_ns_ <= most_ns_, "%lu ns, from %lu to %lu", first_ns_,
                            least_ns_, most_ns_);
        }
    }

    // The longest wait while answers are not late, which is less than the daemon's timer waits.
    static constexpr uint64_t late_ns = 20 * ns_per_ms;

  private:
    static constexpr uint32_t late_least = 4;  // late answers in a row; some are late wherever packets are lost
    static constexpr uint64_t usual_timeout_ns = 5 * ns_per_s;  // a longer peer timeout makes no wait longer

    uint64_t least_ns_;
    uint64_t most_ns_;
    uint64_t loss_ns_;
    uint64_t first_ns_ = least_ns_;
    uint32_t late_ = 0;  // number of late answers since the last answer to a packet that was sent once
};

}  // namespace syncline
