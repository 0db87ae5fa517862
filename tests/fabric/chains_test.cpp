// SPDX-License-Identifier: BSD-3-Clause
// Method: bursts of packets go into one Chains, and the test plays the NIC: it claims completions as the firmware does
// and looks whose packet follows.
#include "fabric/packet/connection/chains.h"

#include <gtest/gtest.h>

#include <vector>

namespace syncline::test {
namespace {

constexpr uint32_t window = 32;
constexpr uint32_t bytes = 8944;

class ChainsOfABurst : public testing::Test {
  protected:
    ChainsOfABurst() : completions_(window), sequences_(window) {}

    // The packet of a slot that is free; true if it follows another.
    bool start(uint32_t slot, uint32_t length = bytes) {
        sequences_[slot]++;
        completions_[slot].state = request(slot) | FW_COMPLETION_ARMED;
        const bool follows = chains_.append(slot, length);
        chains_.add(&completions_[slot], slot, request(slot), length);
        return follows;
    }
    // The reply comes: the slot whose packet follows it, or the slot itself.
    uint32_t reply(uint32_t slot) {
        const uint64_t state = completions_[slot].state;
        EXPECT_EQ(state & ~uint64_t{FW_FOLLOWER}, request(slot) | FW_COMPLETION_ARMED);
        completions_[slot].state = request(slot) | FW_COMPLETION_DONE;
        return slot ^ static_cast<uint32_t>((state & FW_FOLLOWER) >> FW_FOLLOWER_SHIFT);
    }
    // How many packets of a whole window are sent by calls.
    uint32_t calls() {
        uint32_t count = 0;
        for (uint32_t slot = 0; slot < window; slot++) {
            count += start(slot) ? 0 : 1;
        }
        return count;
    }

    uint64_t request(uint32_t slot) const { return fw_request_id(7, slot, sequences_[slot]); }

    Chains chains_{window};
    std::vector<fw_completion> completions_;
    std::vector<uint32_t> sequences_;
};

TEST_F(ChainsOfABurst, EachPacketButTheFirstFewFollowsOneOther) {
    EXPECT_EQ(calls(), 4u);
    std::vector<uint32_t> sent(window);
    for (uint32_t first = 0; first < 4; first++) {
        uint32_t slot = first;
        for (sent[slot]++; const uint32_t next = reply(slot); slot = next) {
            if (next == slot) {
                break;
            }
            sent[next]++;
        }
    }
    EXPECT_EQ(sent, std::vector<uint32_t>(window, 1));
}

TEST_F(ChainsOfABurst, NothingFollowsWhatIsAnswered) {
    for (uint32_t slot = 0; slot < 4; slot++) {
        EXPECT_FALSE(start(slot));
    }
    reply(0);
    EXPECT_FALSE(start(4)) << "begins the chain again that has ended";
    reply(1);
    reply(2);
    reply(3);
    reply(4);
    EXPECT_EQ(calls(), 4u);
}

TEST_F(ChainsOfABurst, NoPacketFollowsOneOfALaterSequence) {
    EXPECT_EQ(calls(), 4u);
    for (uint32_t slot = 0; slot < window; slot++) {
        reply(slot);
    }
    completions_[31].state = fw_request_id(7, 31, sequences_[31] + 1) | FW_COMPLETION_ARMED;  // not of this burst
    EXPECT_FALSE(start(0));
    EXPECT_FALSE(start(1));
    EXPECT_FALSE(start(2));
    EXPECT_FALSE(start(3));
    EXPECT_TRUE(start(4));
    EXPECT_EQ(completions_[31].state & FW_FOLLOWER, 0u);
}

TEST_F(ChainsOfABurst, NoPacketFollowsAShorterOne) {
    for (uint32_t slot = 0; slot < 4; slot++) {
        EXPECT_FALSE(start(slot, 1000));
    }
    EXPECT_FALSE(start(4, 1001));
    for (uint32_t slot = 0; slot < 4; slot++) {
        EXPECT_EQ(reply(slot), slot);
    }
}

TEST_F(ChainsOfABurst, AreMoreWhereTheNetworkIsLong) {
    chains_.are_few();
    EXPECT_EQ(calls(), 8u);
    for (uint32_t slot = 0; slot < window; slot++) {
        reply(slot);
    }
    for (int i = 0; i < 10; i++) {
        chains_.are_few();
    }
    EXPECT_EQ(calls(), window / 4 * 3);
    for (uint32_t slot = 0; slot < window; slot++) {
        reply(slot);
    }
    chains_.are_enough(bytes);
    EXPECT_EQ(calls(), 4u);
    for (uint32_t slot = 0; slot < window; slot++) {
        reply(slot);
    }
    chains_.are_enough(1440);
    EXPECT_EQ(calls(), window / 4) << "short packets are more at once";
}

TEST_F(ChainsOfABurst, EndWhereFramesAreCut) {
    EXPECT_FALSE(chains_.are_lost(0));
    EXPECT_FALSE(chains_.are_lost(8)) << "a few are lost anywhere";
    EXPECT_TRUE(chains_.are_lost(9));
    EXPECT_EQ(calls(), 4u);  // 28 follow
    EXPECT_FALSE(chains_.are_lost(15));
    EXPECT_TRUE(chains_.are_lost(16));
}

}  // namespace
}  // namespace syncline::test
