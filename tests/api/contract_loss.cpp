// SPDX-License-Identifier: BSD-3-Clause
// Method: run with faults injected (loss up to 30 % each way, duplicates, reordering, flipped bits): a counter, a swap
// chain, posted additions and put/get patterns must end with exactly the memory that they have without faults.
// SYNCLINE_LONG=1 runs fifty times as long.
#include <cstring>

#include "contract.h"

namespace contract {
namespace {

void counter_and_chain() {
    const int mine = repeats(60);
    const auto all = static_cast<size_t>(mine * size());
    const syncline_address_t words = allocate(32);
    const syncline_address_t counted = allocate(all * 4);
    const syncline_address_t chained = allocate((all + 1) * 4);
    const int target = size() - 1;
    for (int i = 0; i < mine; i++) {
        uint64_t old = 0;
        MUST(syncline_fetch_add64(target, words, 1, &old));
        EXPECT(old < all);
        MUST(syncline_add32(0, counted + old * 4, 1));
        MUST(syncline_swap64(target, words + 8, static_cast<uint64_t>(rank() * mine + i + 1), &old));
        EXPECT(old <= all);
        MUST(syncline_add32(0, chained + old * 4, 1));
        MUST(syncline_add64(target, words + 16, 7));
    }
    MUST(syncline_barrier());
    MUST(syncline_add32(0, chained + read64(target, words + 8) * 4, rank() == 0 ? 1 : 0));
    MUST(syncline_barrier());
    EXPECT(read64(target, words) == all && read64(target, words + 16) == all * 7);
    for (size_t i = 0; rank() == 0 && i < all; i++) {
        EXPECT(local<uint32_t>(counted)[i] == 1);
        EXPECT(local<uint32_t>(chained)[i] == 1);
    }
    EXPECT(rank() != 0 || local<uint32_t>(chained)[all] == 1);
    MUST(syncline_barrier());
}

void patterns() {
    constexpr size_t bytes = 20000;
    const int rounds = repeats(3);
    const syncline_address_t inbox = allocate(static_cast<size_t>(size()) * bytes);
    const syncline_address_t mine = inbox + static_cast<size_t>(rank()) * bytes;
    std::vector<uint32_t> data(bytes / 4);
    std::vector<uint32_t> back(bytes / 4);
    for (int round = 0; round < rounds; round++) {
        for (int distance = 1; distance <= size(); distance++) {
            const int target = (rank() + distance) % size();
            Random random(static_cast<uint64_t>(round * 100 + rank()));
            for (uint32_t& word : data) {
                word = static_cast<uint32_t>(random.next());
            }
            MUST(syncline_put(target, mine, data.data(), bytes));
            MUST(syncline_get(target, mine, back.data(), bytes));
            EXPECT(data == back);
        }
        MUST(syncline_barrier());
        for (int from = 0; from < size(); from++) {
            Random random(static_cast<uint64_t>(round * 100 + from));
            for (size_t i = 0; i < bytes / 4; i++) {
                EXPECT(local<uint32_t>(inbox + static_cast<size_t>(from) * bytes)[i] ==
                       static_cast<uint32_t>(random.next()));
            }
        }
        MUST(syncline_barrier());
    }
}

}  // namespace

void run_loss() {
    counter_and_chain();
    patterns();
}

}  // namespace contract
