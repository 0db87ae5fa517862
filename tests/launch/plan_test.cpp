// SPDX-License-Identifier: BSD-3-Clause
// Method: plans of jobs over loopback: each --map-by puts the PEs where it says, each node gets the part of the
// description that is its own, and an invalid value is refused.
#include "launch/plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/failure.h"

namespace syncline {
namespace {

LaunchOptions options_of(uint32_t ranks, uint32_t nodes, const std::string& map_by) {
    LaunchOptions options;
    options.ranks = ranks;
    options.nodes = nodes;
    options.map_by = map_by;
    options.transport = TransportKind::kUdp;
    return options;
}

TEST(Plan, PutsPesWhereMapBySays) {
    const std::pair<const char*, std::vector<uint32_t>> cases[] = {
        {"block", {0, 0, 1, 1, 1}}, {"cyclic", {0, 1, 0, 1, 0}}, {"1,0,0,1,0", {1, 0, 0, 1, 0}}};
    for (const auto& [map_by, nodes] : cases) {
        const Plan plan = make_plan(options_of(5, 2, map_by));
        for (uint32_t rank = 0; rank < 5; rank++) {
            EXPECT_EQ(plan.job.map.node_of(rank), nodes[rank]) << map_by << ", PE " << rank;
        }
        for (uint32_t node = 0; node < 2; node++) {
            const JobSpec spec = plan.spec_of(node);
            EXPECT_EQ(spec.config.node, node);
            EXPECT_EQ(spec.config.ports, std::ranges::count(nodes, node));
            EXPECT_EQ(plan.job.addresses[node].text(), "127.0.0." + std::to_string(node + 1));
        }
    }
}

TEST(Plan, RefusesMapByWithoutMeaning) {
    for (const char* const map_by : {"", "blocks", "0,1", "0,1,2", "0,0,0", "0,1,x"}) {
        EXPECT_THROW((void)make_plan(options_of(3, 2, map_by)), Failure) << map_by;
    }
}

}  // namespace
}  // namespace syncline
