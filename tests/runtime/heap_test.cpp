// SPDX-License-Identifier: BSD-3-Clause
// Method: a seeded random sequence of allocations and frees on two instances at once. Both must answer alike (that is
// what makes the heap symmetric without messages); a model of the used ranges catches overlaps, misalignment and ranges
// outside; and after all was freed the heap must be one range again.
#include "runtime/memory/heap.h"

#include <gtest/gtest.h>

#include <iterator>

#include "base/prng.h"

namespace syncline {
namespace {

constexpr uint64_t start = 65536;
constexpr uint64_t end = start + (4 << 20);

class HeapProperty : public testing::TestWithParam<uint64_t> {
  protected:
    void allocate(uint64_t bytes, uint64_t alignment) {
        const uint64_t offset = heap.allocate(bytes, alignment);
        ASSERT_EQ(offset, twin.allocate(bytes, alignment));
        if (offset == Heap::none) {
            ASSERT_LT(heap.largest_free(), bytes + std::max<uint64_t>(alignment, 16));
            return;
        }
        ASSERT_EQ(offset % std::max<uint64_t>(alignment, 16), 0u);
        ASSERT_GE(offset, start);
        ASSERT_LE(offset + bytes, end);
        const auto next = used.lower_bound(offset);
        ASSERT_TRUE(next == used.end() || next->first >= offset + bytes) << "overlaps the range behind";
        ASSERT_TRUE(next == used.begin() || std::prev(next)->second <= offset) << "overlaps the range in front";
        used[offset] = offset + bytes;
    }

    void free_one(uint64_t choice) {
        const auto victim = std::next(used.begin(), static_cast<std::ptrdiff_t>(choice % used.size()));
        ASSERT_TRUE(heap.free(victim->first));
        ASSERT_TRUE(twin.free(victim->first));
        ASSERT_FALSE(heap.free(victim->first)) << "freed twice";
        used.erase(victim);
    }

    Heap heap{start, end};
    Heap twin{start, end};
    std::map<uint64_t, uint64_t> used;
};

TEST_P(HeapProperty, NoOverlapSameAnswersAndWholeAgain) {
    Prng random(GetParam());
    for (int step = 0; step < 4000; step++) {
        if (!used.empty() && random.below(100) < 45) {
            free_one(random.next());
        } else {
            const uint64_t bytes = random.below(50) == 0 ? random.below(1 << 20) : random.below(3000);
            allocate(bytes, uint64_t{1} << random.below(17));
        }
        ASSERT_FALSE(HasFatalFailure()) << "seed " << GetParam() << ", step " << step;
    }
    while (!used.empty()) {
        free_one(random.next());
    }
    EXPECT_EQ(heap.largest_free(), end - start);
    EXPECT_EQ(heap.allocate(end - start, 16), start);
}

INSTANTIATE_TEST_SUITE_P(Seeds, HeapProperty, testing::Range<uint64_t>(1, 9));

TEST(Heap, NeighboursJoinInEveryOrder) {
    const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (const auto& order : orders) {
        Heap heap(start, start + 300 * 16);
        uint64_t pieces[3];
        for (uint64_t& piece : pieces) {
            piece = heap.allocate(1600, 0);
            ASSERT_NE(piece, Heap::none);
        }
        EXPECT_EQ(heap.allocate(1, 0), Heap::none);
        EXPECT_EQ(heap.largest_free(), 0u);
        for (const int index : order) {
            EXPECT_TRUE(heap.free(pieces[index]));
        }
        EXPECT_EQ(heap.largest_free(), 4800u);
    }
}

TEST(Heap, RefusesWhatCannotBe) {
    Heap heap(start, end);
    for (const uint64_t bytes : {UINT64_MAX, UINT64_MAX - 15, uint64_t{1} << 63, end - start + 1}) {
        EXPECT_EQ(heap.allocate(bytes, 16), Heap::none) << bytes;
    }
    EXPECT_EQ(heap.allocate(16, uint64_t{1} << 40), Heap::none) << "no such alignment in range";
    EXPECT_FALSE(heap.free(start));
    EXPECT_FALSE(heap.free(0));
    EXPECT_FALSE(heap.free(Heap::none));
    EXPECT_EQ(heap.largest_free(), end - start);
}

TEST(Heap, NothingIsSomething) {
    Heap heap(start, end);
    const uint64_t first = heap.allocate(0, 0);
    const uint64_t second = heap.allocate(0, 0);
    EXPECT_NE(first, second) << "every allocation has an address of its own";
    EXPECT_TRUE(heap.free(first) && heap.free(second));
}

TEST(Heap, FreeOfTheMiddleOfAnAllocation) {
    Heap heap(start, end);
    const uint64_t offset = heap.allocate(1000, 64);
    EXPECT_FALSE(heap.free(offset + 16));
    EXPECT_TRUE(heap.free(offset));
}

}  // namespace
}  // namespace syncline
