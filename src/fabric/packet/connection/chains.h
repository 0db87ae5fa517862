// SPDX-License-Identifier: BSD-3-Clause
// Chooses the packets of a burst that leave without a call of this process. Each of them follows an earlier packet, and
// this node's NIC sends it in the frame of that packet's reply (FW_FOLLOWER, tables.h). A packet that is sent by a call
// begins a chain.
//
// So as many packets of a burst are under way at once as there are chains. If the replies come while a burst is being
// sent, few chains keep the NICs busy, and most packets cost no call. If the process has to wait for replies, the
// network is too long for that; the number of chains then doubles, up to three quarters of the window.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/check.h"
#include "firmware/tables.h"

namespace syncline {

class Chains {
  public:
    explicit Chains(uint32_t window) : window_(window) {}

    // Makes the packet of `slot`, a datagram of `bytes`, follow an earlier one. Returns false if a call has to send it.
    bool append(uint32_t slot, uint32_t bytes) {
        while (count_ != 0 && !tails_[first_].is_open()) {
            take();
        }
        if (count_ < wanted_) {
            return false;
        }
        while (count_ != 0) {
            const Tail tail = take();
            if (tail.bytes >= bytes && tail.name(slot)) {
                SYNCLINE_ASSERT(tail.slot != slot, "slot %u follows itself", slot);
                named_++;
                return true;
            }
        }
        return false;
    }

    // The packet of `slot` has left, or follows another packet, so further packets can follow it.
    void add(fw_completion* arrived, uint32_t slot, uint64_t request, uint32_t bytes) {
        if (count_ == SLW_WINDOW_MAX) {
            take();
        }
        SYNCLINE_ASSERT(slot < window_ && count_ < SLW_WINDOW_MAX, "slot %u, %u tails", slot, count_);
        tails_[(first_ + count_) % SLW_WINDOW_MAX] = {arrived, slot, request, bytes};
        count_++;
    }

    // No packet follows the packets under way any more, because their replies may come in shorter frames.
    void end_all() { count_ = 0; }

    // Returns whether followers are of no use, given that `lost` of them did not fit by the NIC's count. Some NICs and
    // switches cut the frame of a reply to its length for good. A few followers are lost anywhere: those whose slot was
    // sent again by a call, and then took a longer packet, before the reply had come behind which they were named.
    bool are_lost(uint32_t lost) const { return lost > lost_anywhere + named_ / 4; }

    // All slots were in use, and all their replies have come since the burst was sent.
    void are_enough(uint32_t packet_bytes) {
        wanted_ = std::max(least, std::min(window_ / 4, bytes_out / packet_bytes));
    }
    // All slots are in use, and no reply has come.
    void are_few() {
        wanted_ = std::min(wanted_ * 2, std::max(least, window_ / 4 * 3));
        SYNCLINE_ASSERT(wanted_ >= least && wanted_ <= SLW_WINDOW_MAX, "%u chains", wanted_);
    }

  private:
    static constexpr uint32_t least = 4;
    static constexpr uint32_t bytes_out = 32768;
    static constexpr uint32_t lost_anywhere = 8;

    // The last packet of a chain, which no packet follows yet.
    struct Tail {
        fw_completion* arrived;
        uint32_t slot;
        uint64_t request;
        uint32_t bytes;

        uint64_t armed() const { return request | FW_COMPLETION_ARMED; }
        bool is_open() const { return __atomic_load_n(&arrived->state, __ATOMIC_RELAXED) == armed(); }
        // Returns false if the reply has come. Release: the follower's image, to the firmware's claim.
        bool name(uint32_t follower) const {
            uint64_t expected = armed();
            return __atomic_compare_exchange_n(&arrived->state, &expected,
                                               armed() | uint64_t{slot ^ follower} << FW_FOLLOWER_SHIFT, false,
                                               __ATOMIC_RELEASE, __ATOMIC_RELAXED);
        }
    };

    Tail take() {
        SYNCLINE_ASSERT(count_ != 0, "tail %u", first_);
        const Tail tail = tails_[first_];
        first_ = (first_ + 1) % SLW_WINDOW_MAX;
        count_--;
        return tail;
    }

    const uint32_t window_;
    uint64_t named_ = 0;
    uint32_t wanted_ = least;
    uint32_t first_ = 0;
    uint32_t count_ = 0;
    Tail tails_[SLW_WINDOW_MAX];
};

}  // namespace syncline
