// SPDX-License-Identifier: BSD-3-Clause
// base/sizes.h: results that fit are exact, and every result beyond is the value "too large", also after further
// calculations.
#include "base/sizes.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(Sizes, WhatFitsIsExact) {
    EXPECT_EQ(times(3, 8), 24u);
    EXPECT_EQ(times(0, too_large), 0u);
    EXPECT_EQ(times(UINT64_MAX / 8, 8), UINT64_MAX - 7);
    EXPECT_EQ(plus(UINT64_MAX - 2, 1), UINT64_MAX - 1);
    EXPECT_EQ(round_up(0, 64), 0u);
    EXPECT_EQ(round_up(1, 64), 64u);
    EXPECT_EQ(round_up(64, 64), 64u);
    EXPECT_EQ(round_up(1ull << 63, 1ull << 62), 1ull << 63);
}

TEST(Sizes, WhatDoesNotFitIsTooLarge) {
    EXPECT_EQ(times((1ull << 61) + 2, 8), too_large);
    EXPECT_EQ(times(1ull << 32, 1ull << 32), too_large);
    EXPECT_EQ(plus(UINT64_MAX, 1), too_large);
    EXPECT_EQ(plus(1ull << 63, 1ull << 63), too_large);
    EXPECT_EQ(round_up(UINT64_MAX, 65536), too_large);
    EXPECT_EQ(round_up(UINT64_MAX - 65533, 65536), too_large);
    EXPECT_EQ(times(too_large, 2), too_large);
    EXPECT_EQ(plus(too_large, 2), too_large);
    EXPECT_EQ(round_up(too_large, 2), too_large);
}

TEST(Sizes, AnObjectIsAtMostHalfOfThat) {
    EXPECT_TRUE(is_object(PTRDIFF_MAX, 1));
    EXPECT_FALSE(is_object(1ull << 63, 1));
    EXPECT_TRUE(is_object(PTRDIFF_MAX / 8, 8));
    EXPECT_FALSE(is_object(PTRDIFF_MAX / 8 + 1, 8));
    EXPECT_FALSE(is_object((1ull << 61) + 2, 8));
    EXPECT_TRUE(is_object(too_large, 0));
    EXPECT_FALSE(is_object(1, too_large));
}

}  // namespace
}  // namespace syncline
