// SPDX-License-Identifier: BSD-3-Clause
// Method: handles of operations that are over, never were, or belong to poll() must not be found, also after their
// place was used again.
#include "runtime/operations/operations.h"

#include <gtest/gtest.h>

#include <set>

namespace syncline {
namespace {

TEST(Operations, AHandleIsFoundUntilItsOperationIsReleased) {
    Operations operations;
    const uint32_t index = operations.allocate(42, true);
    const syncline_request_t handle = operations.handle(index);
    EXPECT_NE(handle, 0u);
    EXPECT_EQ(operations.find(handle), index);
    EXPECT_EQ(operations.at(index).tag, 42u);
    operations.release(index);
    EXPECT_EQ(operations.find(handle), -1);
}

TEST(Operations, AStaleHandleIsNotItsSuccessor) {
    Operations operations;
    std::set<syncline_request_t> stale;
    for (int i = 0; i < 1000; i++) {
        const uint32_t index = operations.allocate(0, true);
        EXPECT_EQ(index, 0u) << "the place is used again";
        const syncline_request_t handle = operations.handle(index);
        for (const syncline_request_t old : stale) {
            ASSERT_EQ(operations.find(old), -1);
        }
        ASSERT_TRUE(stale.insert(handle).second);
        operations.release(index);
    }
}

TEST(Operations, NonsenseIsNotFound) {
    Operations operations;
    EXPECT_EQ(operations.find(0), -1);
    EXPECT_EQ(operations.find(1), -1);
    const uint32_t index = operations.allocate(0, true);
    const syncline_request_t handle = operations.handle(index);
    for (const syncline_request_t nonsense :
         {uint64_t{0}, handle + 1, handle - 1, handle | uint64_t{1} << 31, handle ^ uint64_t{1} << 32, UINT64_MAX,
          handle & UINT64_C(0xFFFFFFFF00000000)}) {
        EXPECT_EQ(operations.find(nonsense), -1) << std::hex << nonsense;
    }
    EXPECT_EQ(operations.find(handle), index);
}

TEST(Operations, WhatPollHandsOutHasNoRequest) {
    Operations operations;
    const uint32_t index = operations.allocate(7, false);
    EXPECT_EQ(operations.find(operations.handle(index)), -1);
}

TEST(Operations, APlaceThatIsUsedAgainStartsAnew) {
    Operations operations;
    const uint32_t index = operations.allocate(1, true);
    operations.at(index).packets = 9;
    operations.at(index).status = SYNCLINE_ERR_PEER;
    operations.at(index).started = true;
    operations.release(index);
    const uint32_t again = operations.allocate(2, false);
    ASSERT_EQ(again, index);
    const Operation& operation = operations.at(again);
    EXPECT_TRUE(operation.active && !operation.started && !operation.wants_request);
    EXPECT_EQ(operation.packets, 0u);
    EXPECT_EQ(operation.status, SYNCLINE_OK);
    EXPECT_EQ(operation.tag, 2u);
}

TEST(Operations, ManyAtOnceAreAllDifferent) {
    Operations operations;
    std::set<syncline_request_t> handles;
    for (uint32_t i = 0; i < 5000; i++) {
        handles.insert(operations.handle(operations.allocate(i, true)));
    }
    EXPECT_EQ(handles.size(), 5000u);
    for (const syncline_request_t handle : handles) {
        const int64_t index = operations.find(handle);
        ASSERT_GE(index, 0);
        operations.release(static_cast<uint32_t>(index));
        ASSERT_EQ(operations.find(handle), -1);
    }
}

}  // namespace
}  // namespace syncline
