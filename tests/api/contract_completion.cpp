// SPDX-License-Identifier: BSD-3-Clause
// Method: far more non-blocking operations than the window holds, completed in every way there is: by waiting for
// requests in an odd order, by testing them, by tags through poll() (every tag exactly once), by quiet and fence; and
// posted atomics of all kinds, which are counted at the target.
#include <cstring>

#include "contract.h"

namespace contract {
namespace {

constexpr int outstanding = 300;

void requests() {
    const syncline_address_t counters = allocate(static_cast<size_t>(size()) * 8);
    const syncline_address_t mine = counters + static_cast<size_t>(rank()) * 8;
    for (int distance = 0; distance < size(); distance++) {
        const int target = (rank() + distance) % size();
        std::vector<syncline_request_t> pending(outstanding);
        std::vector<uint64_t> old(outstanding);
        std::vector<bool> seen(outstanding);
        for (int i = 0; i < outstanding; i++) {
            MUST(syncline_fetch_add64_nb(target, mine, 1, &old[static_cast<size_t>(i)], 0,
                                         &pending[static_cast<size_t>(i)]));
        }
        for (int i = 0; i < outstanding; i++) {
            const auto index = static_cast<size_t>(i * 7 % outstanding);
            if (i % 3 == 0) {
                for (int done = 0; done == 0;) {
                    MUST(syncline_test(pending[index], &done));
                }
            } else {
                MUST(syncline_wait(pending[index]));
            }
            EXPECT(old[index] < outstanding && !seen[old[index]]);
            seen[old[index]] = true;
        }
        EXPECT(read64(target, mine) == outstanding);
    }
    MUST(syncline_barrier());
    MUST(syncline_free(counters));
}

struct Tags {
    std::vector<int> count;
    int left;
    syncline_address_t chained = 0;  // the callback starts another operation for some tags
};

void take_tag(uint64_t tag, int status, void* context) {
    auto* const tags = static_cast<Tags*>(context);
    EXPECT(status == SYNCLINE_OK);
    EXPECT(tag < tags->count.size() && tags->count[tag] == 0);
    tags->count[tag]++;
    tags->left--;
    if (tag % 10 == 3) {
        const uint64_t one = 1;
        MUST(syncline_atomic_post(SYNCLINE_ADD | SYNCLINE_64, (rank() + 1) % size(), tags->chained, &one, nullptr));
    }
}

void tags() {
    constexpr size_t piece = 700;
    const syncline_address_t inbox = allocate(static_cast<size_t>(size()) * piece * 3);
    const syncline_address_t words = allocate(static_cast<size_t>(size()) * 8);
    Tags all = {std::vector<int>(outstanding * 3), outstanding * 3, allocate(8)};
    std::vector<uint64_t> old(outstanding);
    std::vector<uint8_t> data(piece, static_cast<uint8_t>(rank() + 1));
    std::vector<uint8_t> back(outstanding * piece);
    for (int i = 0; i < outstanding; i++) {
        const int target = (rank() + i) % size();
        const auto tag = static_cast<uint64_t>(i) * 3;
        const auto index = static_cast<size_t>(i);
        const syncline_address_t place = inbox + static_cast<size_t>(rank()) * piece;
        MUST(syncline_put_nb(target, place, data.data(), piece, tag, nullptr));
        MUST(syncline_get_nb(target, inbox + static_cast<size_t>(2 * size() + rank()) * piece, &back[index * piece],
                             piece, tag + 1, nullptr));
        MUST(
            syncline_fetch_add64_nb(target, words + static_cast<size_t>(rank()) * 8, 1, &old[index], tag + 2, nullptr));
        if (i % 16 == 0) {
            EXPECT(syncline_poll(take_tag, &all, 5) <= 5);
        }
    }
    while (all.left > 0) {
        EXPECT(syncline_poll(take_tag, &all, 1000) >= 0);
    }
    EXPECT(syncline_poll(take_tag, &all, 1000) == 0);
    MUST(syncline_barrier());
    for (int pe = 0; pe < size(); pe++) {
        EXPECT(local<uint8_t>(inbox)[static_cast<size_t>(pe) * piece] == pe + 1);
        EXPECT(local<uint8_t>(inbox)[static_cast<size_t>(pe + 1) * piece - 1] == pe + 1);
    }
    EXPECT(*local(all.chained) == outstanding * 3 / 10);
    MUST(syncline_barrier());
}

// quiet() completes without taking the tags away: poll() still hands out each.
void quiet_keeps_tags() {
    const syncline_address_t word = allocate(8);
    Tags all = {std::vector<int>(50), 50, word};
    std::vector<uint64_t> old(50);
    for (uint64_t i = 0; i < 50; i++) {
        MUST(syncline_fetch_add64_nb(size() - 1, word, 0, &old[i], i, nullptr));
    }
    MUST(syncline_quiet());
    EXPECT(syncline_poll(take_tag, &all, 20) == 20);
    EXPECT(syncline_poll(take_tag, &all, 0) == 0);
    EXPECT(syncline_poll(take_tag, &all, 100) == 30);
    MUST(syncline_barrier());
}

}  // namespace

// Every posted operation, many more than fit a packet, mixed in kind and target.
void run_posted() {
    const int count = repeats(3000);
    const size_t stride = 64;
    const syncline_address_t words = allocate(static_cast<size_t>(size()) * stride);
    const syncline_address_t mine = words + static_cast<size_t>(rank()) * stride;
    for (int i = 0; i < count; i++) {
        const int target = (rank() + i) % size();
        MUST(syncline_add64(target, mine, 3));
        MUST(syncline_add32(target, mine + 8, 5));
        MUST(syncline_xor64(target, mine + 16, uint64_t{1} << (i / size() % 64)));
        MUST(syncline_or32(target, mine + 24, 1u << (i % 32)));
        MUST(syncline_store64(target, mine + 32, static_cast<uint64_t>(i)));
        if (i % 500 == 0) {
            const syncline_pair_t pair = {static_cast<uint64_t>(i), 9};
            MUST(syncline_atomic_post(SYNCLINE_SWAP | SYNCLINE_128, target, mine + 48, &pair, nullptr));
        }
        if (i % 700 == 0) {
            MUST(syncline_fence(target));
        }
    }
    MUST(syncline_quiet());
    for (int distance = 0; distance < size(); distance++) {
        const int target = (rank() + distance) % size();
        const auto hits = static_cast<uint64_t>(count / size() + (distance < count % size() ? 1 : 0));
        EXPECT(read64(target, mine) == hits * 3);
        uint32_t half = 0;
        MUST(syncline_get(target, mine + 8, &half, sizeof(half)));
        EXPECT(half == static_cast<uint32_t>(hits * 5));
        EXPECT(read64(target, mine + 32) < static_cast<uint64_t>(count));
    }
    MUST(syncline_barrier());
    MUST(syncline_free(words));
}

void run_completion() {
    requests();
    tags();
    quiet_keeps_tags();
}

}  // namespace contract
