// SPDX-License-Identifier: BSD-3-Clause
// Method: pages as runs against a set of pages; records against what was put into them. The log itself, over a network:
// tests/deterministic/dsm_parts_test.cpp.
#include "dsm/core/notices.h"

#include <gtest/gtest.h>

#include <set>

#include "base/prng.h"
#include "tests/seeds.h"

namespace syncline::dsm {
namespace {

TEST(Notices, RunsHaveEachPageOnce) {
    for_each_seed(2000, 500, [](uint64_t seed) {
        Prng prng(seed);
        const uint64_t range = 1 + prng.below(300);
        std::vector<uint32_t> pages;
        for (uint64_t i = prng.below(400); i > 0; i--) {
            pages.push_back(static_cast<uint32_t>(prng.below(range)));
        }
        const std::set<uint32_t> expected(pages.begin(), pages.end());
        std::vector<uint32_t> found;
        uint64_t end = UINT64_MAX;
        for (const PageRun& run : runs_of(&pages)) {
            EXPECT_GT(run.count, 0u);
            EXPECT_TRUE(end == UINT64_MAX || run.first > end) << "two runs that touch each other are one";
            end = uint64_t{run.first} + run.count;
            for (uint32_t page = run.first; page < run.first + run.count; page++) {
                found.push_back(page);
            }
        }
        EXPECT_EQ(found, std::vector<uint32_t>(expected.begin(), expected.end()));
    });
}

TEST(Notices, RunsAreNoLongerThanARecordSays) {
    std::vector<uint32_t> pages(Record::count_max * 2 + 5);
    for (uint32_t i = 0; i < pages.size(); i++) {
        pages[i] = 100 + i;
    }
    const std::vector<PageRun> runs = runs_of(&pages);
    ASSERT_EQ(runs.size(), 3u);
    EXPECT_EQ(runs[0].count, Record::count_max);
    EXPECT_EQ(runs[1].first, 100 + Record::count_max);
    EXPECT_EQ(runs[2].count, 5u);
}

TEST(Notices, ARecordKeepsItsParts) {
    for_each_seed(2000, 0, [](uint64_t seed) {
        Prng prng(seed);
        const PageRun run = {
            static_cast<uint32_t>(prng.next()),
            1 + static_cast<uint32_t>(prng.below(3) == 0 ? Record::count_max - 1 : prng.below(Record::count_max))};
        const auto turn = static_cast<uint16_t>(prng.next());
        const uint64_t record = Record::make(run, turn);
        EXPECT_EQ(Record::run(record).first, run.first);
        EXPECT_EQ(Record::run(record).count, run.count);
        EXPECT_EQ(Record::turn_of(record), turn);
    });
}

}  // namespace
}  // namespace syncline::dsm
