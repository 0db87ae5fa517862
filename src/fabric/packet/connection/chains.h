// SPDX-License-Identifier: BSD-3-Clause
// Which packets of a burst leave without a call of this process: each follows an earlier one, and this node's NIC sends
// it in the frame of that one's reply (FW_FOLLOWER, tables.h). A packet that is sent by a call begins a chain.
//
// So as many packets of a burst are on their way at once as there are chains. Where the replies come while a burst is
// being sent, few chains keep the NICs busy, and most packets cost no call. Where the process has to wait for replies,
// the network is longer than that, and the number of chains doubles, up to three quarters of the window.
#pragma once

#include <algorithm>
#include <cstdint>

#include "firmware/tables.h"

namespace syncline {

class Chains {
  public:
    explicit Chains(uint32_t window) : window_(window) {}

    // Has the packet of `slot`, a datagram of `bytes`, sent behind an earlier one. False: it is to be sent by a call.
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
                named_++;
                return true;
            }
        }
        return false;
    }

    // The packet of `slot` has left, or follows another, and can be followed.
    void add(fw_completion* arrived, uint32_t slot, uint64_t request, uint32_t bytes) {
        if (count_ == SLW_WINDOW_MAX) {
            take();
        }
        tails_[(first_ + count_) % SLW_WINDOW_MAX] = {arrived, slot, request, bytes};
        count_++;
    }

    // No packet follows one that is out, whose reply may come in a shorter frame.
    void end_all() { count_ = 0; }

    // Are followers of no use, if the NIC says that `lost` did not fit? Some NICs and switches cut the frame of a reply
    // to its length for good. A few are lost anywhere: those whose slot was sent again by a call, and then took a
    // longer packet, before the reply had come that they were named for.
    bool are_lost(uint32_t lost) const { return lost > lost_anywhere + named_ / 4; }

    // All slots were out, and all their replies have come since the burst was sent.
    void are_enough(uint32_t packet_bytes) {
        wanted_ = std::max(least, std::min(window_ / 4, bytes_out / packet_bytes));
    }
    // All slots are out, and no reply has come.
    void are_few() { wanted_ = std::min(wanted_ * 2, std::max(least, window_ / 4 * 3)); }

  private:
    static constexpr uint32_t least = 4;
    static constexpr uint32_t bytes_out = 32768;
    static constexpr uint32_t lost_anywhere = 8;

    // A packet that none follows.
    struct Tail {
        fw_completion* arrived;
        uint32_t slot;
        uint64_t request;
        uint32_t bytes;

        uint64_t armed() const { return request | FW_COMPLETION_ARMED; }
        bool is_open() const { return __atomic_load_n(&arrived->state, __ATOMIC_RELAXED) == armed(); }
        // Fails if the reply has come. Release: the follower's image, to the firmware's claim.
        bool name(uint32_t follower) const {
            uint64_t expected = armed();
            return __atomic_compare_exchange_n(&arrived->state, &expected,
                                               armed() | uint64_t{slot ^ follower} << FW_FOLLOWER_SHIFT, false,
                                               __ATOMIC_RELEASE, __ATOMIC_RELAXED);
        }
    };

    Tail take() {
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
