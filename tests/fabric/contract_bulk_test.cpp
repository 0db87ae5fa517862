// SPDX-License-Identifier: BSD-3-Clause
// Method: the contract of fabric.h over every path: puts and gets of lengths around those of words, packets and blocks,
// signals, pieces and accumulates. All of the target's memory is compared with a copy that one thread keeps.
#include <algorithm>
#include <cstring>

#include "base/prng.h"
#include "tests/fabric/pes_of_a_node.h"

namespace syncline {
namespace {

constexpr size_t window_bytes = 5 * SLW_BLOCK_BYTES;  // of the target's heap, that the cases use

class FabricBulk : public PesOfANode {
  protected:
    std::vector<uint8_t> random_bytes(size_t bytes) {
        std::vector<uint8_t> all(bytes);
        for (uint8_t& byte : all) {
            byte = static_cast<uint8_t>(prng_.next());
        }
        return all;
    }

    int move(Direction direction, uint64_t offset, uint8_t* local, size_t bytes) {
        Transfer transfer = {1, base + offset, local, bytes};
        return run([&](Completion* completion) { return fabric().move(direction, &transfer, completion); });
    }

    bool target_is(const std::vector<uint8_t>& expected) {
        return std::memcmp(memory(1), expected.data(), expected.size()) == 0;
    }

    template <typename T>
    int accumulate(int from, Accumulate::Element element, Accumulate::Combine combine, uint64_t offset,
                   const std::vector<T>& values) {
        Accumulate request = {.rank = 1,
                              .target = base + offset,
                              .element = element,
                              .combine = combine,
                              .values = reinterpret_cast<const uint8_t*>(values.data()),
                              .count = values.size()};
        Completion completion;
        return run(&fabrics(from), &completion, [&] { return fabrics(from).of(1).accumulate(&request, &completion); });
    }

    // Both PEs add to the elements of PE 1 at once; the sums are exact.
    template <typename T>
    void both_add(Accumulate::Element element) {
        constexpr size_t count = 300;
        constexpr int rounds = 20;
        std::vector<T> values(count);
        for (size_t i = 0; i < count; i++) {
            values[i] = static_cast<T>(i + 1);
        }
        const auto work = [&](int me) {
            for (int round = 0; round < rounds; round++) {
                ASSERT_EQ(accumulate(me, element, Accumulate::Combine::kAdd, 64, values), SYNCLINE_OK);
            }
        };
        std::thread other(work, 1);
        work(0);
        other.join();
        for (size_t i = 0; i < count; i++) {
            ASSERT_EQ(memory<T>(1, 64)[i], static_cast<T>(2 * rounds * (i + 1))) << "element " << i;
        }
    }

    Prng prng_{5};
};

TEST_P(FabricBulk, EveryByteArrivesAndComesBack) {
    std::vector<uint8_t> expected(window_bytes);
    for (const size_t bytes : {1, 2, 3, 4, 7, 8, 16, 100, 1391, 1392, 1393, 5000, 70000, 200000}) {
        for (const uint64_t offset : {uint64_t{0}, uint64_t{4}, 1 + prng_.below(1000), uint64_t{65536 - 3}}) {
            std::vector<uint8_t> data = random_bytes(bytes);
            ASSERT_EQ(move(Direction::kPut, offset, data.data(), bytes), SYNCLINE_OK);
            std::copy(data.begin(), data.end(), expected.begin() + static_cast<std::ptrdiff_t>(offset));
            ASSERT_TRUE(target_is(expected)) << bytes << " bytes at " << offset;
            std::vector<uint8_t> back(bytes);
            ASSERT_EQ(move(Direction::kGet, offset, back.data(), bytes), SYNCLINE_OK);
            ASSERT_EQ(back, data) << bytes << " bytes at " << offset;
        }
    }
}

// A call without room has taken what it started off the request: the target gets every byte once, and no other.
TEST_P(FabricBulk, ABusyFabricHasAdvancedTheRequest) {
    std::vector<uint8_t> data = random_bytes(250000);
    Transfer transfer = {1, base, data.data(), data.size()};
    Completion completion;
    size_t left = data.size();
    const int status = run(&fabrics(0), &completion, [&] {
        const int now = fabric().move(Direction::kPut, &transfer, &completion);
        EXPECT_LE(transfer.bytes, left);
        EXPECT_EQ(transfer.remote + transfer.bytes, base + data.size()) << "it ends where it ended";
        EXPECT_EQ(now == SYNCLINE_OK, transfer.bytes == 0);
        left = transfer.bytes;
        return now;
    });
    EXPECT_EQ(status, SYNCLINE_OK);
    EXPECT_TRUE(target_is(data));
}

TEST_P(FabricBulk, ASignalComesBehindItsData) {
    std::vector<uint8_t> data = random_bytes(1000);
    const size_t tail = fabric().bytes_with_signal(base + 4096, data.size());
    ASSERT_EQ(tail, data.size());
    AtomicCall signal = {.operation = SYNCLINE_ADD | SYNCLINE_64, .rank = 1, .target = base};
    signal.operand[0] = 7;
    const Transfer transfer = {1, base + 4096, data.data(), data.size()};
    ASSERT_EQ(run([&](Completion* completion) { return fabric().put_signal(transfer, signal, completion); }),
              SYNCLINE_OK);
    EXPECT_EQ(*memory<uint64_t>(1), 7u);
    EXPECT_EQ(std::memcmp(memory(1, 4096), data.data(), data.size()), 0);
    const size_t across = fabric().bytes_with_signal(base + SLW_BLOCK_BYTES - 10, 100000);
    EXPECT_TRUE(across >= 1 && across <= 100000);
}

TEST_P(FabricBulk, PiecesGoWhereTheyBelong) {
    std::vector<uint8_t> expected(window_bytes);
    std::vector<Piece> pieces;
    uint64_t offset = 3;
    for (int i = 0; i < 300; i++) {
        const uint64_t bytes = i == 17 ? 70000 : i % 11 == 0 ? 0 : i % 3 == 0 ? 8 : prng_.below(40) + 1;
        offset += i % 3 == 0 ? 8 - offset % 8 : prng_.below(500);
        pieces.push_back({offset, bytes});
        offset += bytes;
    }
    ASSERT_LT(offset, window_bytes);
    std::swap(pieces[2], pieces[200]);  // in no order
    size_t total = 0;
    for (const Piece& piece : pieces) {
        total += piece.bytes;
    }
    std::vector<uint8_t> data = random_bytes(total);
    size_t at = 0;
    for (const Piece& piece : pieces) {
        std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(at), piece.bytes,
                    expected.begin() + static_cast<std::ptrdiff_t>(piece.offset));
        at += piece.bytes;
    }
    Pieces put = {1, base, pieces.data(), pieces.size(), data.data()};
    ASSERT_EQ(run([&](Completion* c) { return fabric().move_pieces(Direction::kPut, &put, c); }), SYNCLINE_OK);
    EXPECT_EQ(put.count, 0u);
    EXPECT_TRUE(target_is(expected));
    std::vector<uint8_t> back(total);
    Pieces get = {1, base, pieces.data(), pieces.size(), back.data()};
    ASSERT_EQ(run([&](Completion* c) { return fabric().move_pieces(Direction::kGet, &get, c); }), SYNCLINE_OK);
    EXPECT_EQ(back, data);
}

TEST_P(FabricBulk, IntegersOfBothPesAddUp) {
    both_add<int32_t>(Accumulate::Element::kInt32);
}

TEST_P(FabricBulk, LongIntegersOfBothPesAddUp) {
    both_add<int64_t>(Accumulate::Element::kInt64);
}

// In no order, and an element in two pieces takes two additions.
TEST_P(FabricBulk, PiecesAddUp) {
    const std::vector<Piece> pieces = {{80000, 8}, {16, 8}, {24, 0}, {65528, 16}, {0, 800}, {8, 1600}};
    std::vector<int64_t> expected(window_bytes / 8);
    std::vector<int64_t> values;
    for (const Piece& piece : pieces) {
        for (uint64_t i = 0; i < piece.bytes / 8; i++) {
            values.push_back(static_cast<int64_t>(prng_.next()));
            expected[piece.offset / 8 + i] = static_cast<int64_t>(
                static_cast<uint64_t>(expected[piece.offset / 8 + i]) + static_cast<uint64_t>(values.back()));
        }
    }
    auto* const local = reinterpret_cast<uint8_t*>(values.data());
    AccumulatePieces request = {Accumulate::Element::kInt64, {1, base, pieces.data(), pieces.size(), local}};
    ASSERT_EQ(run([&](Completion* c) { return fabric().accumulate_pieces(&request, c); }), SYNCLINE_OK);
    EXPECT_EQ(request.pieces.count, 0u);
    EXPECT_EQ(std::memcmp(memory(1), expected.data(), window_bytes), 0);
}

TEST_P(FabricBulk, FloatingPointNumbersAddUp) {
    both_add<float>(Accumulate::Element::kFloat);
}

TEST_P(FabricBulk, DoublesAddUp) {
    both_add<double>(Accumulate::Element::kDouble);
    const std::vector<double> values(1000, 2.5);
    EXPECT_EQ(accumulate(0, Accumulate::Element::kDouble, Accumulate::Combine::kReplace, 64, values), SYNCLINE_OK);
    for (size_t i = 0; i < values.size(); i++) {
        ASSERT_EQ(memory<double>(1, 64)[i], 2.5);
    }
}

INSTANTIATE_TEST_SUITE_P(Paths, FabricBulk, testing::ValuesIn(all_paths), name_of);

}  // namespace
}  // namespace syncline
