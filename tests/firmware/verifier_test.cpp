// SPDX-License-Identifier: BSD-3-Clause
// Method: loads the firmware into the kernel with the configurations of real jobs (an all-zero one would let the
// verifier remove nearly everything) and holds its cost below what a node may spend at start-up.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "bpf_nic.h"

namespace syncline::test {
namespace {

// Authenticated, and of how many nodes.
class Verifier : public testing::TestWithParam<std::tuple<bool, uint32_t>> {
  protected:
    static NicShape shape() {
        NicShape shape = NicShape::small(std::get<0>(GetParam()));
        shape.places = std::get<1>(GetParam());
        return shape;
    }
    void SetUp() override {
        if (const std::string obstacle = BpfNic::obstacle(); !obstacle.empty()) {
            GTEST_SKIP() << obstacle;
        }
    }
};

// The kernel gives up at a million, and old ones walk half as many instructions again.
constexpr uint64_t limit = 700'000;

TEST_P(Verifier, accepts_a_small_job) {
    const BpfNic nic(shape());
    fmt::print("{} instructions walked, {:.0f} ms\n", nic.verified_instructions(), nic.load_ms());
    EXPECT_LT(nic.verified_instructions(), limit);
}

TEST_P(Verifier, accepts_a_large_job) {
    NicShape shape = Verifier::shape();
    shape.config.ports = SLW_PORTS_MAX;
    shape.config.window = SLW_WINDOW_MAX;
    shape.config.nodes = 8;
    shape.config.packet_max = SLW_PACKET_LEAST;
    shape.config.ranks = 1024;
    shape.segments.resize(1);
    const BpfNic nic(shape);
    fmt::print("{} instructions walked\n", nic.verified_instructions());
    EXPECT_LT(nic.verified_instructions(), limit);
}

INSTANTIATE_TEST_SUITE_P(Tag, Verifier, testing::Combine(testing::Bool(), testing::Values(1, 32)),
                         [](const auto& tested) {
                             return std::string(std::get<0>(tested.param) ? "authenticated" : "checksum") + "_of_" +
                                    std::to_string(std::get<1>(tested.param));
                         });

}  // namespace
}  // namespace syncline::test
