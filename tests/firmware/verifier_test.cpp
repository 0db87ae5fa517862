// SPDX-License-Identifier: BSD-3-Clause
// Method: loads the firmware into the kernel for the shortest and the longest packets and holds its cost below what a
// node may spend at start-up, and below what the oldest kernel walks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "bpf_target.h"

namespace syncline::test {
namespace {

// The verifier learns no more of jobs than the length of their packets: tables have any length, and the rest is data.
class Verifier : public testing::TestWithParam<uint32_t> {
  protected:
    static TargetShape shape() {
        TargetShape shape = TargetShape::small(true);
        shape.places = 32;
        shape.config.packet_max = GetParam();
        return shape;
    }
    void SetUp() override {
        if (const std::string obstacle = BpfTarget::obstacle(); !obstacle.empty()) {
            GTEST_SKIP() << obstacle;
        }
    }
};

// The kernel gives up at a million, and old ones walk half as many instructions again.
constexpr uint64_t limit = 700'000;

TEST_P(Verifier, accepts_the_program) {
    const BpfTarget target(shape());
    fmt::print("{} instructions walked, {:.0f} ms\n", target.verified_instructions(), target.load_ms());
    EXPECT_LT(target.verified_instructions(), limit);
}

INSTANTIATE_TEST_SUITE_P(Packets, Verifier, testing::Values(SLW_PACKET_LEAST, SLW_PACKET_MAX),
                         [](const auto& tested) { return "of_" + std::to_string(tested.param) + "_bytes"; });

}  // namespace
}  // namespace syncline::test
