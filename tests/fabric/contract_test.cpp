// SPDX-License-Identifier: BSD-3-Clause
// Method: the contract of fabric.h, one set of cases over every path between two PEs: atomics and posts. Each result
// and each word is compared with what one thread computes; where both PEs work at once, with the exact sum.
#include <algorithm>
#include <cstring>

#include "base/prng.h"
#include "tests/fabric/pes_of_a_node.h"

namespace syncline {
namespace {

class FabricAtomics : public PesOfANode {};

template <typename Word>
Word apply(int base, Word old, Word operand, Word comparand) {
    switch (base) {
        case SLW_ADD:
            return static_cast<Word>(old + operand);
        case SLW_AND:
            return old & operand;
        case SLW_OR:
            return old | operand;
        case SLW_XOR:
            return old ^ operand;
        case SLW_SWAP:
            return operand;
        case SLW_CAS:
            return old == comparand ? operand : old;
        case SLW_SMIN:
            return static_cast<Word>(
                std::min(static_cast<std::make_signed_t<Word>>(old), static_cast<std::make_signed_t<Word>>(operand)));
        case SLW_SMAX:
            return static_cast<Word>(
                std::max(static_cast<std::make_signed_t<Word>>(old), static_cast<std::make_signed_t<Word>>(operand)));
        case SLW_UMIN:
            return std::min(old, operand);
        case SLW_UMAX:
            return std::max(old, operand);
        default:
            ADD_FAILURE() << "there is no result for operation " << base;
            return old;
    }
}

AtomicCall call_of(int operation, uint64_t offset, uint64_t operand, void* result = nullptr) {
    AtomicCall call = {.operation = operation, .rank = 1, .target = PesOfANode::base + offset};
    call.operand[0] = operand;
    call.result = result;
    return call;
}

TEST_P(FabricAtomics, EachOperationReturnsTheOldValueAndStoresTheNew) {
    Prng prng(3);
    for (int turn = 0; turn < 200; turn++) {
        const auto number = static_cast<int>(prng.below(SLW_OPERATIONS));
        const int kind = SYNCLINE_CODE_(number);
        const bool wide = prng.chance(0.5);
        auto* const word = memory<uint64_t>(1, 64);
        const uint64_t before = *word;
        uint64_t old = 0;
        AtomicCall call = call_of(kind | (wide ? SYNCLINE_64 : SYNCLINE_32) | SYNCLINE_FETCH, 64, prng.next(), &old);
        call.comparand[0] = prng.chance(0.5) ? before : prng.next();
        ASSERT_EQ(run([&](Completion* completion) { return fabric().atomic(call, completion); }), SYNCLINE_OK);
        uint64_t after = apply<uint64_t>(kind, before, call.operand[0], call.comparand[0]);
        if (!wide) {
            const auto low =
                apply<uint32_t>(kind, static_cast<uint32_t>(before), static_cast<uint32_t>(call.operand[0]),
                                static_cast<uint32_t>(call.comparand[0]));
            after = (before & ~uint64_t{UINT32_MAX}) | low;
        }
        ASSERT_EQ(*word, after) << "operation " << kind;
        ASSERT_EQ(old, wide ? before : before & UINT32_MAX) << "operation " << kind;
    }
}

TEST_P(FabricAtomics, PairsAreComparedAndSwapped) {
    auto* const pair = memory<uint64_t>(1, 128);
    uint64_t old[2] = {9, 9};
    AtomicCall call = call_of(SYNCLINE_SWAP | SYNCLINE_128 | SYNCLINE_FETCH, 128, 5, old);
    call.operand[1] = 6;
    ASSERT_EQ(run([&](Completion* completion) { return fabric().atomic(call, completion); }), SYNCLINE_OK);
    EXPECT_TRUE(old[0] == 0 && old[1] == 0 && pair[0] == 5 && pair[1] == 6);
    call.operation = SYNCLINE_CAS | SYNCLINE_128 | SYNCLINE_FETCH;
    call.operand[0] = 7;
    call.comparand[0] = 5;  // and 0 instead of 6: a miss
    ASSERT_EQ(run([&](Completion* completion) { return fabric().atomic(call, completion); }), SYNCLINE_OK);
    EXPECT_TRUE(old[0] == 5 && old[1] == 6 && pair[0] == 5);
    call.comparand[1] = 6;
    ASSERT_EQ(run([&](Completion* completion) { return fabric().atomic(call, completion); }), SYNCLINE_OK);
    EXPECT_TRUE(pair[0] == 7 && pair[1] == 6);
}

TEST_P(FabricAtomics, PostsAreExecutedOnceEach) {
    constexpr uint64_t posts = 1000;
    for (uint64_t i = 0; i < posts; i++) {
        AtomicCall add = call_of(SYNCLINE_ADD | SYNCLINE_64, 8 * (i % 5), i);
        AtomicCall compare = call_of(SYNCLINE_CAS | SYNCLINE_32, 40, i + 1);
        compare.comparand[0] = i;
        Completion completion;
        int status = run(&fabrics(0), &completion, [&] {
            return i % 3 == 0 ? fabric().post(add, &completion)
                              : fabric().post_word(add.operation, 1, add.target, i, &completion);
        });
        ASSERT_EQ(status, SYNCLINE_OK);
        if (i % 100 == 0) {
            compare.comparand[0] = i / 100;
            compare.operand[0] = i / 100 + 1;
            ASSERT_EQ(run([&](Completion* other) { return fabric().post(compare, other); }), SYNCLINE_OK);
        }
    }
    for (uint64_t word = 0; word < 5; word++) {
        uint64_t sum = 0;
        for (uint64_t i = word; i < posts; i += 5) {
            sum += i;
        }
        EXPECT_EQ(memory<uint64_t>(1)[word], sum);
    }
    EXPECT_EQ(*memory<uint32_t>(1, 40), posts / 100);
}

// Posts of one completion share packets; those of another start a new one. Nothing of either gets lost.
TEST_P(FabricAtomics, GatheredPostsOfTwoCompletionsEndApart) {
    Completion one;
    Completion other;
    for (int i = 0; i < 1000; i++) {
        Completion* const completion = i % 50 < 25 ? &one : &other;
        const syncline_address_t target = base + (completion == &one ? 0 : 8);
        int status = SYNCLINE_ERR_BUSY;
        ASSERT_TRUE(await(&fabrics(0), [&] {
            status = fabric().post_word(SYNCLINE_ADD | SYNCLINE_64, 1, target, 1, completion);
            return status != SYNCLINE_ERR_BUSY;
        }));
        ASSERT_EQ(status, SYNCLINE_OK);
    }
    EXPECT_TRUE(await(&fabrics(0), [&] { return one.is_over() && other.is_over(); }));
    EXPECT_FALSE(fabric().is_gathering());
    EXPECT_TRUE(fabrics(0).is_quiet());
    EXPECT_EQ(memory<uint64_t>(1)[0], 500u);
    EXPECT_EQ(memory<uint64_t>(1)[1], 500u);
}

TEST_P(FabricAtomics, BothPesAddAtOnce) {
    constexpr int adds = 500;
    const auto work = [&](int me) {
        for (int i = 0; i < adds; i++) {
            uint64_t old = 0;
            AtomicCall add = call_of(SYNCLINE_ADD | SYNCLINE_64 | SYNCLINE_FETCH, 256, 1, &old);
            add.rank = 1;
            Completion completion;
            ASSERT_EQ(run(&fabrics(me), &completion, [&] { return fabrics(me).of(1).atomic(add, &completion); }),
                      SYNCLINE_OK);
        }
    };
    std::thread other(work, 1);
    work(0);
    other.join();
    EXPECT_EQ(*memory<uint64_t>(1, 256), 2u * adds);
}

TEST_P(FabricAtomics, EverythingThatWasIssuedIsExecuted) {
    for (uint64_t i = 0; i < 20; i++) {
        const AtomicCall add = call_of(SYNCLINE_ADD | SYNCLINE_64, 0, i);
        ASSERT_EQ(run([&](Completion* completion) { return fabric().atomic(add, completion); }), SYNCLINE_OK);
    }
    const uint32_t executed = fabrics(1).of(0).executed(0);
    EXPECT_EQ(executed, fabric().issued(1));
    EXPECT_EQ(executed == 0, is_memory());
}

INSTANTIATE_TEST_SUITE_P(Paths, FabricAtomics, testing::ValuesIn(all_paths), name_of);

}  // namespace
}  // namespace syncline
