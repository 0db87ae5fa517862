// SPDX-License-Identifier: BSD-3-Clause
// Method: mappings as launchers write them, written by hand here, and texts that are no mappings.
#include "job/launchers/process_mapping.h"

#include <gtest/gtest.h>

#include "base/failure.h"

namespace syncline {
namespace {

using RankList = std::vector<uint32_t>;

TEST(ProcessMapping, Block) {
    EXPECT_EQ(ranks_beside("(vector,(0,2,4))", 2, 8), (RankList{0, 1, 2, 3}));
    EXPECT_EQ(ranks_beside("(vector,(0,2,4))", 4, 8), (RankList{4, 5, 6, 7}));
    EXPECT_EQ(ranks_beside("(vector,(0,1,6),(1,2,1))", 6, 8), RankList{6});
    EXPECT_EQ(ranks_beside("(vector,(0,1,1))", 0, 1), RankList{0});
}

TEST(ProcessMapping, Cyclic) {
    EXPECT_EQ(ranks_beside("(vector,(0,3,1),(0,3,1),(0,1,1))", 0, 7), (RankList{0, 3, 6}));
    EXPECT_EQ(ranks_beside("(vector,(0,3,1),(0,3,1),(0,1,1))", 5, 7), (RankList{2, 5}));
}

TEST(ProcessMapping, BlocksBeginAgain) {
    EXPECT_EQ(ranks_beside("(vector,(0,3,1))", 1, 7), (RankList{1, 4}));
}

TEST(ProcessMapping, ANodeOfSeveralBlocks) {
    EXPECT_EQ(ranks_beside("(vector,(2,1,2),(0,2,1),(2,1,1))", 4, 5), (RankList{0, 1, 4}));
}

TEST(ProcessMapping, Blanks) {
    EXPECT_EQ(ranks_beside(" ( vector , ( 0 , 2 , 1 ) ) ", 1, 2), RankList{1});
}

TEST(ProcessMapping, NonsenseIsRefused) {
    for (const char* const text : {"", "(vector)", "(vector,)", "vector,(0,1,1)", "(vector,(0,1,1)", "(vector,(0,1))",
                                   "(vector,(0,0,1))", "(vector,(0,1,0))", "(vector,(-1,1,1))", "(vector,(0,1,1)))",
                                   "(vector,(0,1,1),)", "(vector,(0,1,99999999999))", "(vector,(0,1,1),(",
                                   "(matrix,(0,1,1))", "(vector,(4294967295,4294967295,1))"}) {
        EXPECT_THROW(ranks_beside(text, 0, 4), Failure) << text;
    }
}

}  // namespace
}  // namespace syncline
