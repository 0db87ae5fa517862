// SPDX-License-Identifier: BSD-3-Clause
// Method: several threads deliver requests to one NIC at once, each request many times and by several threads. The
// final memory must be what a single execution of each request gives. For pairs, which are locked, holders that died in
// each state are put in by hand and recovered.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <thread>

#include "base/prng.h"
#include "native_target.h"
#include "packet.h"

namespace syncline::test {
namespace {

constexpr uint32_t threads_count = 4;

// Delivers until the request has been answered; other threads deliver the same one. Returns the number of replies.
uint32_t deliver_often(fw_target& target, const Bytes& packet, uint32_t times) {
    uint32_t replies = 0;
    for (uint32_t i = 0; i < times || replies == 0; i++) {
        Bytes buffer = packet;
        buffer.resize(SLW_PACKET_MAX);
        uint32_t length = 0;
        const fw_verdict verdict =
            fw_execute_packet(&target, buffer.data(), static_cast<uint32_t>(packet.size()), &length);
        replies += verdict == FW_REPLY;
        if (replies == 0 && i > 1'000'000) {
            break;
        }
    }
    return replies;
}

TEST(Concurrency, duplicates_on_several_threads_are_executed_once) {
    const TargetShape shape = TargetShape::small(false);
    NativeTarget target(shape);
    constexpr uint32_t rounds = 2000;
    for (uint32_t sequence = 1; sequence <= rounds; sequence++) {
        const Bytes packet = Request::from(shape.config, 1, 1, 0, sequence)
                                 .add(SLW_ADD | SLW_WIDTH_64 | SLW_FETCH, 0, 0, 0, 1)
                                 .add(SLW_ADD | SLW_WIDTH_32, 0, 0, 8, 1)
                                 .packet(shape.config);
        std::vector<std::jthread> threads;
        std::array<uint32_t, 2> replies{};
        for (uint32_t& mine : replies) {
            threads.emplace_back([&] { mine = deliver_often(target.target(), packet, 3); });
        }
        threads.clear();
        ASSERT_GT(replies[0], 0u);
        ASSERT_GT(replies[1], 0u);
    }
    const auto* words = reinterpret_cast<const uint64_t*>(target.memory(shape.segments[0]).data());
    EXPECT_EQ(words[0], rounds);
    EXPECT_EQ(words[1], rounds);
}

// Each thread is a rank with its own slots, and all of them add to the same words, with atomics of all widths.
TEST(Concurrency, sources_on_several_threads_lose_no_update) {
    const TargetShape shape = TargetShape::small(true);
    NativeTarget target(shape);
    constexpr uint32_t rounds = 3000;
    std::vector<std::jthread> threads;
    for (uint16_t rank = 0; rank < threads_count; rank++) {
        threads.emplace_back([&, rank] {
            for (uint32_t sequence = 1; sequence <= rounds; sequence++) {
                Request request = Request::from(shape.config, rank, static_cast<uint8_t>(rank), sequence % 4, sequence);
                request.add(SLW_ADD | SLW_WIDTH_64, 0, 0, 0, 1)
                    .add(SLW_ADD | SLW_WIDTH_32 | SLW_FETCH, 0, 0, 8, 1)
                    .add(SLW_XOR | SLW_WIDTH_64, 0, 0, 16, 1ull << rank);
                deliver_often(target.target(), request.packet(shape.config), 2);
            }
        });
    }
    threads.clear();
    const auto* words = reinterpret_cast<const uint64_t*>(target.memory(shape.segments[0]).data());
    EXPECT_EQ(words[0], threads_count * rounds);
    EXPECT_EQ(words[1], threads_count * rounds);
    EXPECT_EQ(words[2], 0u);  // an even number of flips each
}

// Each rank's first request comes on all threads at once, and room for rows comes meanwhile, a row at a time.
TEST(Concurrency, ranks_on_several_threads_take_a_row_each) {
    constexpr uint32_t ranks = 500;
    TargetShape shape = TargetShape::small(false);
    shape.config.ranks = ranks;
    NativeTarget target(shape);
    target.rows().room = 1;
    std::atomic<uint32_t> finished = 0;
    std::vector<std::jthread> threads;
    for (uint32_t thread = 0; thread < threads_count; thread++) {
        threads.emplace_back([&] {
            for (uint16_t rank = 0; rank < ranks; rank++) {
                for (uint8_t slot : {0, 1, 3}) {  // the last is the runtime's own
                    const Bytes packet = Request::from(shape.config, rank, 0, slot, 7)
                                             .add(SLW_ADD | SLW_WIDTH_64, 0, 0, 0, 1)
                                             .packet(shape.config);
                    EXPECT_GT(deliver_often(target.target(), packet, 1), 0u) << "rank " << rank;
                }
            }
            finished++;
        });
    }
    while (finished < threads_count) {
        const uint32_t room = target.rows().room;
        if (__atomic_load_n(&target.rows().taken, __ATOMIC_RELAXED) == room && room < ranks) {
            __atomic_store_n(&target.rows().room, room + 1, __ATOMIC_RELEASE);
        }
        std::this_thread::yield();
    }
    threads.clear();
    EXPECT_EQ(target.rows().taken, ranks);
    std::vector<uint32_t> rows;
    for (const fw_source& source : target.sources()) {
        rows.push_back(source.row);
        EXPECT_EQ(source.executed, 7u + 7u);
    }
    std::sort(rows.begin(), rows.end());
    for (uint32_t i = 0; i < ranks; i++) {
        EXPECT_EQ(rows[i], i + 1);
    }
    EXPECT_EQ(*reinterpret_cast<const uint64_t*>(target.memory(shape.segments[0]).data()), 3u * ranks) << "each once";
}

// Packets and a process that maps the memory change one pair; both halves always count the same.
TEST(Concurrency, pairs_stay_whole_between_packets_and_processes) {
    const TargetShape shape = TargetShape::small(false);
    NativeTarget target(shape);
    constexpr uint32_t rounds = 3000;
    auto* pair = reinterpret_cast<uint64_t*>(target.memory(shape.segments[0]).data() + 32);
    std::atomic<uint32_t> torn = 0, local = 0, remote = 0;
    {
        std::jthread process([&] {
            fw_pair_lock* lock = fw_pair_lock_of(&target.port(0), 32);
            for (uint32_t i = 0; i < rounds; i++) {
                uint64_t old[2] = {}, expected[2] = {}, wanted[2] = {};
                do {
                    std::copy(old, old + 2, expected);
                    wanted[0] = wanted[1] = expected[0] + 1;
                    fw_pair_execute(lock, 2, 32, pair, wanted, expected, old, [](void*) { return 0; }, nullptr);
                    torn += old[0] != old[1];
                } while (old[0] != expected[0]);
                local++;
            }
        });
        std::jthread packets([&] {
            uint32_t sequence = 0;
            uint64_t expected = 0;
            while (remote < rounds) {
                const uint64_t more[] = {expected + 1, 0, expected, expected};
                Bytes packet = Request::from(shape.config, 0, 0, 0, ++sequence)
                                   .add(SLW_CAS | SLW_WIDTH_128 | SLW_FETCH, 0, 0, 32, expected + 1, more)
                                   .packet(shape.config);
                uint32_t length = static_cast<uint32_t>(packet.size());
                packet.resize(SLW_PACKET_MAX);
                ASSERT_EQ(fw_execute_packet(&target.target(), packet.data(), length, &length), FW_REPLY);
                if (header_of(packet).status == SLW_RETRY) {
                    std::this_thread::yield();
                    continue;
                }
                uint64_t old[2];
                std::memcpy(old, packet.data() + SLW_HEADER_BYTES, sizeof old);
                torn += old[0] != old[1];
                remote += old[0] == expected;
                expected = old[0] == expected ? expected + 1 : old[0];
            }
        });
    }
    EXPECT_EQ(torn, 0u);
    EXPECT_EQ(pair[0], 2 * rounds);
    EXPECT_EQ(pair[1], 2 * rounds);
}

class Recovery : public testing::Test {
  protected:
    Recovery() : shape_(TargetShape::small(false)), target_(shape_) {
        pair_ = reinterpret_cast<uint64_t*>(target_.memory(shape_.segments[0]).data() + 48);
        lock_ = fw_pair_lock_of(&target_.port(0), 48);
        pair_[0] = 1;  // half of what was to become {1, 2}
        pair_[1] = 8;
        *lock_ = {.owner = 0, .address = 48, .low = 1, .high = 2};
    }

    int recover(uint64_t owner) {
        return fw_pair_recover(
            &target_.port(0), owner,
            [](void* base, uint64_t address) { return address == 48 ? static_cast<uint64_t*>(base) : nullptr; }, pair_);
    }

    uint8_t status_of_a_swap() {
        const uint64_t high[] = {4, 0};
        Bytes packet = Request::from(shape_.config, 0, 0, 0, ++sequence_)
                           .add(SLW_SWAP | SLW_WIDTH_128, 0, 0, 48, 3, high)
                           .packet(shape_.config);
        uint32_t length = static_cast<uint32_t>(packet.size());
        packet.resize(SLW_PACKET_MAX);
        EXPECT_EQ(fw_execute_packet(&target_.target(), packet.data(), length, &length), FW_REPLY);
        return header_of(packet).status;
    }

    const TargetShape shape_;
    NativeTarget target_;
    uint64_t* pair_;
    fw_pair_lock* lock_;
    uint32_t sequence_ = 0;
};

TEST_F(Recovery, finishes_what_was_committed) {
    lock_->owner = 7 << 1 | 1;
    EXPECT_EQ(recover(7), 1);
    EXPECT_EQ(pair_[0], 1u);
    EXPECT_EQ(pair_[1], 2u);
    EXPECT_EQ(status_of_a_swap(), SLW_OK);
}

TEST_F(Recovery, forgets_what_was_not) {
    lock_->owner = 7 << 1;
    EXPECT_EQ(recover(7), 1);
    EXPECT_EQ(pair_[1], 8u);
    EXPECT_EQ(status_of_a_swap(), SLW_OK);
}

TEST_F(Recovery, leaves_the_locks_of_others) {
    lock_->owner = 7 << 1 | 1;
    EXPECT_EQ(recover(6), 0);
    EXPECT_EQ(lock_->owner, 7u << 1 | 1);
    EXPECT_EQ(status_of_a_swap(), SLW_RETRY);
    EXPECT_EQ(pair_[1], 8u);
    EXPECT_EQ(target_.counters().value[FW_COUNT_operations], 0u);
}

// The memory may be gone, with its segment; the lock must not stay.
TEST_F(Recovery, frees_a_lock_whose_memory_is_gone) {
    lock_->owner = 7 << 1 | 1;
    lock_->address = 64;
    EXPECT_EQ(recover(7), 1);
    EXPECT_EQ(lock_->owner, 0u);
    EXPECT_EQ(pair_[1], 8u);
}

TEST_F(Recovery, a_process_gives_up_when_told_to) {
    lock_->owner = 7 << 1;
    const uint64_t operand[2] = {3, 4};
    uint64_t old[2];
    EXPECT_EQ(fw_pair_execute(lock_, 2, 48, pair_, operand, nullptr, old, [](void*) { return 1; }, nullptr), -1);
    EXPECT_EQ(pair_[1], 8u);
    EXPECT_EQ(lock_->owner, 7u << 1);
}

}  // namespace
}  // namespace syncline::test
