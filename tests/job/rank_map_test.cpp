// SPDX-License-Identifier: BSD-3-Clause
// Method: layouts of all small shapes are compared with their definitions, and random maps with their inverse; invalid
// maps and lists are refused with an error message that says why.
#include "job/rank_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "base/failure.h"
#include "base/prng.h"
#include "firmware/wire.h"

namespace syncline {
namespace {

using Ranks = std::vector<uint16_t>;

// The two directions of a map agree.
void expect_sound(const RankMap& map) {
    uint32_t ranks = 0;
    for (uint32_t node = 0; node < map.nodes(); node++) {
        const Ranks seen = map.ports_seen_from(node);
        ASSERT_EQ(seen.size(), map.ranks());
        ASSERT_EQ(map.ranks_of(node).size(), map.ports_of(node));
        for (uint32_t port = 0; port < map.ports_of(node); port++, ranks++) {
            const uint32_t rank = map.ranks_of(node)[port];
            EXPECT_EQ(map.rank_at(node, port), rank);
            EXPECT_EQ(map.node_of(rank), node);
            EXPECT_EQ(map.port_of(rank), port);
            EXPECT_EQ(seen[rank], port);
        }
        EXPECT_EQ(std::ranges::count(seen, SLW_PORTS_MAX), map.ranks() - map.ports_of(node));
    }
    EXPECT_EQ(ranks, map.ranks());
}

template <typename Make>
void expect_refused(const char* sentence, Make&& make) {
    try {
        make();
        ADD_FAILURE() << "taken, and not: " << sentence;
    } catch (const Failure& failure) {
        EXPECT_EQ(failure.status(), SYNCLINE_ERR_INVALID);
        EXPECT_NE(std::string(failure.what()).find(sentence), std::string::npos) << failure.what();
    }
}

bool same(const RankMap& one, const RankMap& other) {
    bool is_same = one.ranks() == other.ranks() && one.nodes() == other.nodes();
    for (uint32_t rank = 0; rank < one.ranks() && is_same; rank++) {
        is_same = one.node_of(rank) == other.node_of(rank) && one.port_of(rank) == other.port_of(rank);
    }
    return is_same;
}

TEST(RankMap, BlockAndCyclic) {
    for (uint32_t ranks = 1; ranks <= 40; ranks++) {
        for (uint32_t nodes = 1; nodes <= ranks; nodes++) {
            const RankMap block = RankMap::lay_out("block", ranks, nodes);
            const RankMap cyclic = RankMap::lay_out("cyclic", ranks, nodes);
            expect_sound(block);
            expect_sound(cyclic);
            EXPECT_TRUE(same(block, RankMap::lay_out("slot", ranks, nodes)));
            EXPECT_TRUE(same(block, RankMap::lay_out("core", ranks, nodes)));
            EXPECT_TRUE(same(cyclic, RankMap::lay_out("node", ranks, nodes)));
            EXPECT_EQ(block.nodes(), nodes);
            for (uint32_t rank = 0; rank < ranks; rank++) {
                EXPECT_EQ(cyclic.node_of(rank), rank % nodes);
                EXPECT_EQ(cyclic.port_of(rank), rank / nodes);
                EXPECT_EQ(block.rank_at(block.node_of(rank), 0) + block.port_of(rank), rank);
                EXPECT_TRUE(rank == 0 || block.node_of(rank) - block.node_of(rank - 1) <= 1);
            }
            for (uint32_t node = 0; node < nodes; node++) {
                EXPECT_LE(block.ports_of(node) - ranks / nodes, 1u);
                EXPECT_LE(cyclic.ports_of(node) - ranks / nodes, 1u);
            }
        }
    }
}

TEST(RankMap, List) {
    const RankMap map = RankMap::lay_out("2,0,1,0,2,2", 6, 3);
    expect_sound(map);
    EXPECT_TRUE(std::ranges::equal(map.ranks_of(0), Ranks{1, 3}));
    EXPECT_TRUE(std::ranges::equal(map.ranks_of(1), Ranks{2}));
    EXPECT_TRUE(std::ranges::equal(map.ranks_of(2), Ranks{0, 4, 5}));
}

TEST(RankMap, BadLists) {
    for (const char* const text : {"", ",", "0,", ",0", "0,,1", "0;1", "a", "0,x", "0 ,1", " 0,1", "-1,0", "0x0,1",
                                   "Block", "0,4294967296", "0.5,1"}) {
        expect_refused("give block (or slot, core), cyclic (or node), or a node for each PE",
                       [&] { RankMap::lay_out(text, 2, 2); });
    }
    expect_refused("gives 2 nodes, and there are 3 PEs", [] { RankMap::lay_out("0,1", 3, 2); });
    expect_refused("gives 4 nodes, and there are 3 PEs", [] { RankMap::lay_out("0,1,0,1", 3, 2); });
    expect_refused("puts PE 1 on node 2, and there are nodes 0 to 1", [] { RankMap::lay_out("0,2,1", 3, 2); });
    expect_refused("gives node 1 0 PEs", [] { RankMap::lay_out("0,0,2", 3, 3); });
}

TEST(RankMap, AtRandom) {
    Prng prng(4711);
    for (int turn = 0; turn < 300; turn++) {
        Ranks ports(1 + prng.below(20));
        for (uint16_t& count : ports) {
            count = static_cast<uint16_t>(1 + prng.below(SLW_PORTS_MAX));
        }
        Ranks ranks(std::accumulate(ports.begin(), ports.end(), size_t{0}));
        std::iota(ranks.begin(), ranks.end(), uint16_t{0});
        for (size_t i = ranks.size() - 1; i > 0; i--) {
            std::swap(ranks[i], ranks[prng.below(i + 1)]);
        }
        const RankMap map(ports, ranks);
        expect_sound(map);
        EXPECT_EQ(map.rank_at(0, 0), ranks[0]);
        // One rank is another one's: that one is there twice, and it is missing.
        Ranks damaged = ranks;
        const size_t at = prng.below(ranks.size());
        damaged[at] = static_cast<uint16_t>((ranks[at] + 1) % ranks.size());
        if (ranks.size() > 1) {
            expect_refused("twice", [&] { RankMap(ports, damaged); });
        }
        damaged[at] = static_cast<uint16_t>(ranks.size() + prng.below(UINT16_MAX - ranks.size()));
        expect_refused("in a job of", [&] { RankMap(ports, damaged); });
    }
}

TEST(RankMap, OutOfBounds) {
    expect_refused("0 nodes", [] { RankMap({}, {}); });
    expect_refused("gives node 1 0 PEs", [] { RankMap({1, 0}, {0}); });
    expect_refused("gives node 0 257 PEs", [] { RankMap({SLW_PORTS_MAX + 1}, Ranks(SLW_PORTS_MAX + 1)); });
    expect_refused("2 ranks for the 3 PEs", [] { RankMap({1, 2}, {0, 1}); });
    expect_refused("4 ranks for the 3 PEs", [] { RankMap({1, 2}, {0, 1, 2, 3}); });
    expect_refused("65536 nodes", [] { RankMap(Ranks(SLW_NODES_MAX + 1, 1), Ranks(SLW_NODES_MAX + 1)); });
    expect_refused("65537 PEs", [] { RankMap(Ranks(1024, 65), Ranks(SLW_RANKS_MAX + 1)); });
}

TEST(RankMap, TheLargest) {
    Ranks ports(SLW_NODES_MAX, 1);
    ports[7]++;
    Ranks ranks(SLW_RANKS_MAX);
    std::iota(ranks.rbegin(), ranks.rend(), uint16_t{0});
    const RankMap map(ports, ranks);
    EXPECT_EQ(map.node_of(0), SLW_NODES_MAX - 1u);
    EXPECT_EQ(map.node_of(SLW_RANKS_MAX - 1), 0u);
    EXPECT_EQ(map.rank_at(7, 1), ranks[8]);
    EXPECT_EQ(map.port_of(map.rank_at(7, 1)), 1u);
    EXPECT_EQ(map.port_of(map.rank_at(8, 0)), 0u);
}

}  // namespace
}  // namespace syncline
