// SPDX-License-Identifier: BSD-3-Clause
// Method: PEs of two nodes with each kind of card, and without one. For every operation and width, the fabric that
// serves it must be the one that the rule of choice/fabrics.h names.
#include <gtest/gtest.h>

#include <string>

#include "tests/deterministic/world.h"

namespace syncline::deterministic {
namespace {

// Calls check(endpoint) at PE 0, whose neighbour is PE 1, while PE 2 is on another node.
void with_card(CardKind kind, const std::function<void(Endpoint*)>& check) {
    WorldOptions options;
    options.ports = {2, 1};
    options.card = {kind, true};
    World world(1, options);
    EXPECT_TRUE(world.run(
        [&](Endpoint* endpoint) {
            if (endpoint->rank() == 0) {
                check(endpoint);
            }
        },
        ns_per_s));
}

std::string executor_of(Endpoint* endpoint, int rank, int operation) {
    return endpoint->fabrics().of(rank, operation).capabilities().name;
}

TEST(Choice, WithoutACardIsByPeerAlone) {
    with_card(CardKind::kNone, [](Endpoint* endpoint) {
        for (const int width : {SYNCLINE_32, SYNCLINE_64, SYNCLINE_128}) {
            EXPECT_EQ(executor_of(endpoint, 1, SYNCLINE_SWAP | width), "memory");
            EXPECT_EQ(executor_of(endpoint, 2, SYNCLINE_SWAP | width), "simulated");
        }
        EXPECT_TRUE(endpoint->fabrics().completes_at_once(1));
        EXPECT_TRUE(endpoint->fabrics().counts_requests() && endpoint->fabrics().recalls());
        EXPECT_NE(endpoint->memory().pointer(1, 0, 8), nullptr);
    });
}

TEST(Choice, ACardThatExcludesCpusExecutesAllItCanElsewhere) {
    with_card(CardKind::kSharing, [](Endpoint* endpoint) {
        EXPECT_EQ(executor_of(endpoint, 1, SYNCLINE_ADD | SYNCLINE_64), "memory");
        EXPECT_EQ(executor_of(endpoint, 2, SYNCLINE_ADD | SYNCLINE_64), "card");
        EXPECT_EQ(executor_of(endpoint, 2, SYNCLINE_CAS | SYNCLINE_64 | SYNCLINE_FETCH), "card");
        EXPECT_EQ(executor_of(endpoint, 2, SYNCLINE_SWAP | SYNCLINE_64), "simulated");
        EXPECT_EQ(executor_of(endpoint, 2, SYNCLINE_ADD | SYNCLINE_32), "simulated");
        EXPECT_STREQ(endpoint->fabrics().of(2).capabilities().name, "card");
        using Sum = Accumulate;
        const Fabrics& fabrics = endpoint->fabrics();
        EXPECT_STREQ(fabrics.of(2, Sum::Element::kInt64, Sum::Combine::kAdd).capabilities().name, "card");
        EXPECT_STREQ(fabrics.of(2, Sum::Element::kInt64, Sum::Combine::kReplace).capabilities().name, "simulated");
        EXPECT_STREQ(fabrics.of(2, Sum::Element::kDouble, Sum::Combine::kAdd).capabilities().name, "simulated");
        EXPECT_NE(endpoint->memory().pointer(1, 0, 8), nullptr);
        EXPECT_FALSE(fabrics.counts_requests() || fabrics.recalls() || fabrics.wakes_sleepers());
        EXPECT_TRUE(fabrics.joins_barriers(2)) << "by packets";
    });
}

TEST(Choice, ACardThatExcludesNoCpuOwnsTheWordsOfAWholeWidth) {
    with_card(CardKind::kOwning, [](Endpoint* endpoint) {
        for (const int rank : {0, 1, 2}) {
            for (const int operation : {SYNCLINE_ADD, SYNCLINE_SWAP, SYNCLINE_CAS, SYNCLINE_UMAX}) {
                EXPECT_EQ(executor_of(endpoint, rank, operation | SYNCLINE_64), "card");
            }
            EXPECT_EQ(executor_of(endpoint, rank, SYNCLINE_ADD | SYNCLINE_32), rank == 2 ? "simulated" : "memory");
            EXPECT_EQ(executor_of(endpoint, rank, SYNCLINE_CAS | SYNCLINE_128), rank == 2 ? "simulated" : "memory");
            EXPECT_EQ(endpoint->memory().pointer(rank, 0, 8), nullptr) << "a CPU's atomics would be lost";
        }
        EXPECT_FALSE(endpoint->fabrics().cpu_may_change_words());
        EXPECT_FALSE(endpoint->fabrics().completes_at_once(1));
    });
}

}  // namespace
}  // namespace syncline::deterministic
