// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/packet/connection/pace.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr uint64_t ms = ns_per_ms;

struct PaceTest : testing::Test {
    void late(int answers, uint64_t ns) {
        for (int i = 0; i < answers; i++) {
            pace.answered_after(ns);
        }
    }
    Pace pace{ms, 1600 * ms};
};

TEST_F(PaceTest, HasLimitsForAnyPeerTimeout) {
    for (const uint64_t timeout_ms : {1, 100, 300, 5000, 60'000, 3'600'000}) {
        pace = Pace(2 * ms, timeout_ms * ms);
        late(4, 3'600'000 * ms);
        EXPECT_EQ(pace.first_ns(), std::max(2 * ms, std::min<uint64_t>(timeout_ms, 5000) * ms / 16)) << timeout_ms;
        pace.answered_within(0);
        EXPECT_EQ(pace.first_ns(), 2 * ms);
    }
}

TEST_F(PaceTest, WaitsAreDoubledUpToTwentyMilliseconds) {
    uint64_t wait = pace.first_ns();
    for (const uint64_t expected : {1, 2, 4, 8, 16, 20, 20}) {
        EXPECT_EQ(wait, expected * ms);
        wait = pace.next_ns(wait, 0);
    }
}

TEST_F(PaceTest, FollowsAnswersThatAreLateInARow) {
    late(3, 40 * ms);
    EXPECT_EQ(pace.first_ns(), ms) << "packets that were lost";
    late(1, 40 * ms);
    EXPECT_EQ(pace.first_ns(), 60 * ms);
    EXPECT_EQ(pace.next_ns(60 * ms, 0), 120 * ms);
    EXPECT_EQ(pace.next_ns(120 * ms, 0), 120 * ms);
    EXPECT_EQ(pace.silence_ns(), 240 * ms);
    late(1, 10 * ms);
    EXPECT_EQ(pace.first_ns(), 60 * ms);
    late(1, 1000 * ms);
    EXPECT_EQ(pace.first_ns(), 100 * ms) << "a sixteenth of the peer timeout";
    EXPECT_EQ(pace.next_ns(100 * ms, 400 * ms), 20 * ms) << "a quarter of it has passed: this is loss";
}

TEST_F(PaceTest, AnAnswerAtOnceTellsOfLoss) {
    for (int i = 0; i < 100; i++) {
        pace.answered_after(ms - 1);
    }
    EXPECT_FALSE(pace.is_late());
    EXPECT_EQ(pace.first_ns(), ms);
}

TEST_F(PaceTest, AnAnswerToAPacketThatWasSentOnceBoundsTheWait) {
    late(4, 40 * ms);
    pace.answered_within(1000 * ms);  // the process has computed
    EXPECT_EQ(pace.first_ns(), 60 * ms);
    EXPECT_TRUE(pace.is_late()) << "the next one is timed, too";
    pace.answered_within(5 * ms);
    EXPECT_EQ(pace.first_ns(), 10 * ms);
    late(3, 40 * ms);
    EXPECT_EQ(pace.first_ns(), 10 * ms) << "they are counted anew";
    pace.answered_within(0);
    EXPECT_EQ(pace.first_ns(), ms);
    EXPECT_EQ(pace.silence_ns(), 0u);
}

}  // namespace
}  // namespace syncline
