// SPDX-License-Identifier: BSD-3-Clause
// Method: the fit is given round trips worked out from known parameters and must find these; the choices are those that
// the equations of Buntinas 2001, section 2.2, give by hand.
#include "runtime/collective/latency_model.h"

#include <gtest/gtest.h>

#include "syncline.h"

namespace syncline {
namespace {

TEST(LatencyModel, FindsTheParametersThatTheRoundTripsWereMadeFrom) {
    const LatencyModel truth = {.send_ns = 400, .network_ns = 3000, .message_ns = 250};
    const RoundTrips measured = {.alone_ns = 400 + 2 * 3000 + 4 * 250, .together_ns = 2 * 250, .call_ns = 400};
    const LatencyModel found = fit_latency_model(measured, 0);
    EXPECT_DOUBLE_EQ(found.send_ns, truth.send_ns);
    EXPECT_DOUBLE_EQ(found.network_ns, truth.network_ns);
    EXPECT_DOUBLE_EQ(found.message_ns, truth.message_ns);
}

TEST(LatencyModel, WhereTheCallDoesEverythingThereIsNoNetwork) {
    const LatencyModel found = fit_latency_model({5000, 5000, 4900}, 2);
    EXPECT_EQ(found.network_ns, 0);
    EXPECT_EQ(found.message_ns, 1000);
    EXPECT_EQ(found.shared_cpus, 2u);
}

TEST(LatencyModel, IsThePapersEquations) {
    const LatencyModel model = {.send_ns = 10, .network_ns = 100, .message_ns = 1};
    EXPECT_DOUBLE_EQ(model.exchange_ns(16, true), 4 * (10 + 100 + 2));   // equation 1
    EXPECT_DOUBLE_EQ(model.exchange_ns(16, false), 10 + 4 * (100 + 2));  // equation 2
    EXPECT_DOUBLE_EQ(model.tree_ns(13, 3, false), 10 + 2 * 2 * (100 + 4));
}

TEST(LatencyModel, PrefersTheExchangeAcrossANetworkAndTheTreeOnOneMachine) {
    const LatencyModel cluster = {.send_ns = 300, .network_ns = 2000, .message_ns = 200};
    EXPECT_EQ(cluster.choose(16, false, SYNCLINE_BARRIER_AUTO).algorithm, SYNCLINE_BARRIER_EXCHANGE);
    const LatencyModel machine = {.send_ns = 1000, .network_ns = 0, .message_ns = 1000, .shared_cpus = 2};
    for (const uint32_t nodes : {4u, 8u, 16u}) {
        EXPECT_EQ(machine.choose(nodes, false, SYNCLINE_BARRIER_AUTO).algorithm, SYNCLINE_BARRIER_TREE) << nodes;
    }
    EXPECT_EQ(machine.choose(2, false, SYNCLINE_BARRIER_AUTO).algorithm, SYNCLINE_BARRIER_EXCHANGE);
}

TEST(LatencyModel, ChoosesOnlyWhatThereIs) {
    const LatencyModel model = {.send_ns = 300, .network_ns = 100, .message_ns = 200};
    for (uint32_t nodes = 1; nodes < 200; nodes++) {
        for (const bool host : {false, true}) {
            const Schedule chosen = model.choose(nodes, host, SYNCLINE_BARRIER_TREE);
            EXPECT_TRUE(nodes == 1 || chosen.algorithm == SYNCLINE_BARRIER_TREE);
            EXPECT_LE(chosen.dimension, std::min(nodes, 64u));
            for (uint32_t dimension = 1; nodes > 1 && dimension < std::min(nodes, 65u); dimension++) {
                EXPECT_LE(model.tree_ns(nodes, chosen.dimension, host), model.tree_ns(nodes, dimension, host));
            }
        }
    }
}

}  // namespace
}  // namespace syncline
