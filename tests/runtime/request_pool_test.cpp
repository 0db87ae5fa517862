// SPDX-License-Identifier: BSD-3-Clause
// Method: handles of operations that are over, never were, or belong to poll() must not be found, also after their
// place was used again.
#include "runtime/operations/request_pool.h"

#include <gtest/gtest.h>

#include <set>

namespace syncline {
namespace {

TEST(RequestPool, AHandleIsFoundUntilItsOperationIsReleased) {
    RequestPool pool;
    Request* const request = pool.allocate(42, true);
    const syncline_request_t handle = pool.handle(*request);
    EXPECT_NE(handle, 0u);
    EXPECT_EQ(pool.find(handle), request);
    EXPECT_EQ(request->tag, 42u);
    pool.release(request);
    EXPECT_EQ(pool.find(handle), nullptr);
}

TEST(RequestPool, AStaleHandleIsNotItsSuccessor) {
    RequestPool pool;
    std::set<syncline_request_t> stale;
    for (int i = 0; i < 1000; i++) {
        Request* const request = pool.allocate(0, true);
        EXPECT_EQ(request->index, 0u) << "the place is used again";
        const syncline_request_t handle = pool.handle(*request);
        for (const syncline_request_t old : stale) {
            ASSERT_EQ(pool.find(old), nullptr);
        }
        ASSERT_TRUE(stale.insert(handle).second);
        pool.release(request);
    }
}

TEST(RequestPool, NonsenseIsNotFound) {
    RequestPool pool;
    EXPECT_EQ(pool.find(0), nullptr);
    EXPECT_EQ(pool.find(1), nullptr);
    Request* const request = pool.allocate(0, true);
    const syncline_request_t handle = pool.handle(*request);
    for (const syncline_request_t nonsense :
         {uint64_t{0}, handle + 1, handle - 1, handle | uint64_t{1} << 31, handle ^ uint64_t{1} << 32, UINT64_MAX,
          handle & UINT64_C(0xFFFFFFFF00000000)}) {
        EXPECT_EQ(pool.find(nonsense), nullptr) << std::hex << nonsense;
    }
    EXPECT_EQ(pool.find(handle), request);
}

TEST(RequestPool, WhatPollHandsOutHasNoRequest) {
    RequestPool pool;
    Request* const request = pool.allocate(7, false);
    EXPECT_EQ(pool.find(pool.handle(*request)), nullptr);
}

TEST(RequestPool, APlaceThatIsUsedAgainStartsAnew) {
    RequestPool pool;
    Request* const request = pool.allocate(1, true);
    request->raise();
    request->fail(SYNCLINE_ERR_PEER);
    pool.release(request);
    const Request* const again = pool.allocate(2, false);
    ASSERT_EQ(again, request);
    EXPECT_TRUE(again->active && !again->wants_request);
    EXPECT_TRUE(again->is_over());
    EXPECT_EQ(again->status(), SYNCLINE_OK);
    EXPECT_EQ(again->tag, 2u);
}

TEST(RequestPool, ManyAtOnceAreAllDifferent) {
    RequestPool pool;
    std::set<syncline_request_t> handles;
    for (uint32_t i = 0; i < 5000; i++) {
        handles.insert(pool.handle(*pool.allocate(i, true)));
    }
    EXPECT_EQ(handles.size(), 5000u);
    for (const syncline_request_t handle : handles) {
        Request* const request = pool.find(handle);
        ASSERT_NE(request, nullptr);
        pool.release(request);
        ASSERT_EQ(pool.find(handle), nullptr);
    }
}

}  // namespace
}  // namespace syncline
