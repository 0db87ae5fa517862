// SPDX-License-Identifier: BSD-3-Clause
// Method: the contract of fabric.h over every path: how operations fail, and what becomes of those that their caller
// gives up. A result that comes late must reach neither its buffer nor its completion.
#include <algorithm>

#include "base/clock.h"
#include "tests/fabric/pes_of_a_node.h"

namespace syncline {
namespace {

class FabricEnds : public PesOfANode {
  protected:
    int get(syncline_address_t address, size_t bytes) {
        std::vector<uint8_t> buffer(bytes);
        Transfer transfer = {1, address, buffer.data(), bytes};
        return run([&](Completion* completion) { return fabric().move(Direction::kGet, &transfer, completion); });
    }
};

TEST_P(FabricEnds, WhatIsInNoSegmentIsRefused) {
    EXPECT_EQ(get(uint64_t{3} << 40, 8), SYNCLINE_ERR_ADDRESS) << "not registered";
    EXPECT_EQ(get(heap_blocks * SLW_BLOCK_BYTES - 4, 100), SYNCLINE_ERR_ADDRESS) << "past the end";
    EXPECT_EQ(get(base, 100), SYNCLINE_OK) << "the fabric is in order afterwards";
}

TEST_P(FabricEnds, APeThatHasLeftIsGone) {
    attachment(1).detach();
    EXPECT_TRUE(await(&fabrics(0), [&] { return get(base, 8) == SYNCLINE_ERR_PEER; }));
    EXPECT_FALSE(fabric().is_silent(1)) << "its node has said so";
    AtomicCall add = {.operation = SYNCLINE_ADD | SYNCLINE_64, .rank = 1, .target = base};
    EXPECT_EQ(run([&](Completion* completion) { return fabric().atomic(add, completion); }), SYNCLINE_ERR_PEER);
    EXPECT_TRUE(fabrics(0).is_quiet());
}

TEST_P(FabricEnds, OnlyMappedMemoryHasAPointer) {
    void* const pointer = fabric().pointer(1, base, 8);
    EXPECT_EQ(fabric().capabilities().maps_memory, is_memory());
    ASSERT_EQ(pointer != nullptr, is_memory());
    if (pointer != nullptr) {
        *static_cast<uint64_t*>(pointer) = 77;
        EXPECT_EQ(*memory<uint64_t>(1), 77u);
        EXPECT_EQ(fabric().pointer(1, heap_blocks * SLW_BLOCK_BYTES, 8), nullptr);
    }
}

TEST_P(FabricEnds, WhatIsForgottenNeverArrives) {
    constexpr size_t bytes = 3000;
    std::fill_n(memory(1), bytes, uint8_t{0xaa});
    int late = 0;
    for (int turn = 0; turn < 200; turn++) {
        std::vector<uint8_t> buffer(bytes, 0x11);
        {
            Completion completion;
            Transfer transfer = {1, base, buffer.data(), bytes};
            (void)fabric().move(Direction::kGet, &transfer, &completion);
            late += completion.is_over() ? 0 : 1;
            fabrics(0).forget(&completion);
        }
        const std::vector<uint8_t> then = buffer;
        ASSERT_TRUE(await(&fabrics(0), [&] { return fabrics(0).is_quiet(); })) << "slots are free again";
        ASSERT_EQ(buffer, then) << "turn " << turn;
    }
    if (GetParam().faults) {
        EXPECT_GT(late, 0) << "lost packets leave some under way";
    }
    EXPECT_EQ(get(base, bytes), SYNCLINE_OK);
}

// The hook is called once, by the thread that ends the last part.
TEST_P(FabricEnds, AHookIsCalledWhenTheLastPartEnds) {
    static std::atomic<int> calls;
    calls = 0;
    Completion completion;
    completion.begin([](Completion* over) { calls += over->is_over() ? 1 : 100; });
    completion.raise();  // the caller's own, while it starts parts
    std::vector<uint8_t> buffer(100000);
    Transfer transfer = {1, base, buffer.data(), buffer.size()};
    int status = SYNCLINE_ERR_BUSY;
    ASSERT_TRUE(await(&fabrics(0), [&] {
        status = fabric().move(Direction::kGet, &transfer, &completion);
        return status != SYNCLINE_ERR_BUSY;
    }));
    ASSERT_EQ(status, SYNCLINE_OK);
    ASSERT_TRUE(await(&fabrics(0), [&] { return fabrics(0).is_quiet(); }));
    EXPECT_EQ(calls, 0);
    completion.lower(SYNCLINE_OK);
    EXPECT_EQ(calls, 1);
}

INSTANTIATE_TEST_SUITE_P(Paths, FabricEnds, testing::ValuesIn(all_paths), name_of);

}  // namespace
}  // namespace syncline
