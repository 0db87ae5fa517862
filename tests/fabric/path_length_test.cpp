// SPDX-License-Identifier: BSD-3-Clause
// Method: a path that carries packets up to some length answers the probes that a connection sends, and is silent about
// the others. The connection ends close below that length, with few probes, whatever its own link carries.
#include "fabric/packet/connection/path_length.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

// Answers probes as a path does that carries `carried`. Returns how many there were.
int search(PathLength* path, uint32_t carried) {
    int probes = 0;
    for (; path->next_probe() != 0; probes++) {
        const uint32_t length = path->next_probe();
        EXPECT_GT(length, path->now());
        EXPECT_EQ(length % 8, 0u);
        length <= carried ? path->passed(length) : path->lost(length);
    }
    return probes;
}

void expect_close(const PathLength& path, uint32_t carried, uint32_t most) {
    const uint32_t longest = std::min(carried, most);
    EXPECT_LE(path.now(), longest);
    EXPECT_GE(path.now() + path.now() / 32 + 8, longest) << "a path of " << carried << " bytes, a link of " << most;
}

constexpr uint32_t links[] = {1232, 1352, 1448, 4048, 8944};

TEST(LengthOfAPath, IsFoundWithFewProbes) {
    for (const uint32_t most : links) {
        for (uint32_t carried = SLW_PACKET_LEAST; carried <= SLW_PACKET_MAX; carried += 4) {
            PathLength path(most);
            EXPECT_EQ(path.now(), uint32_t{SLW_PACKET_LEAST}) << "until a probe has passed";
            EXPECT_LE(search(&path, carried), 9);
            expect_close(path, carried, most);
        }
    }
}

TEST(LengthOfAPath, IsThatOfTheLinkAfterOneProbe) {
    for (const uint32_t most : {1352u, 1448u, 8944u}) {
        PathLength path(most);
        EXPECT_EQ(search(&path, SLW_PACKET_MAX), 1);
        EXPECT_EQ(path.now(), most);
    }
}

TEST(LengthOfAPath, IsFoundAgainAfterItShrank) {
    for (const uint32_t most : links) {
        for (uint32_t carried = SLW_PACKET_LEAST; carried <= SLW_PACKET_MAX; carried += 100) {
            PathLength path(most);
            search(&path, SLW_PACKET_MAX);
            path.shrank();
            EXPECT_EQ(path.now(), uint32_t{SLW_PACKET_LEAST});
            search(&path, carried);
            expect_close(path, carried, most);
            path.shrank();  // or packets were lost otherwise: then one probe says so
            EXPECT_LE(search(&path, SLW_PACKET_MAX), 1);
        }
    }
}

TEST(LengthOfAPath, TakesNoProbeWhereLittleIsToBeGained) {
    EXPECT_EQ(PathLength(SLW_PACKET_LEAST).next_probe(), 0u);
    EXPECT_EQ(PathLength(SLW_PACKET_LEAST + 16).next_probe(), 0u);
}

}  // namespace
}  // namespace syncline
