// SPDX-License-Identifier: BSD-3-Clause
// Method: a ring of producers and consumers. The producer writes a payload with puts and posted atomics, fences, and
// raises a flag; the consumer waits for the flag in wait_until64 and must find the whole payload. Then the clock's side
// of wait_until64: time-outs, all comparisons, and that a PE that writes the word wakes the one that sleeps.
#include <cstring>

#include "contract.h"

namespace contract {
namespace {

constexpr size_t words = 300;  // of a payload: two packets

struct Mailbox {
    uint64_t payload[words];
    uint64_t sum;
    uint64_t flag;
    uint64_t acknowledged;
};

void ring() {
    const syncline_address_t box = allocate(sizeof(Mailbox));
    const auto* const mine = local<Mailbox>(box);
    const int next = (rank() + 1) % size();
    const int before = (rank() + size() - 1) % size();
    const auto rounds = static_cast<uint64_t>(repeats(100));
    for (uint64_t round = 1; round <= rounds; round++) {
        std::vector<uint64_t> payload(words, round);
        MUST(syncline_put(next, box, payload.data(), sizeof(Mailbox::payload) / 2));
        syncline_request_t half = 0;
        MUST(syncline_put_nb(next, box + sizeof(Mailbox::payload) / 2, payload.data(), sizeof(Mailbox::payload) / 2, 0,
                             &half));
        for (int i = 0; i < 5; i++) {
            MUST(syncline_add64(next, box + offsetof(Mailbox, sum), round));
        }
        MUST(syncline_fence(next));
        MUST(syncline_store64(next, box + offsetof(Mailbox, flag), round));
        MUST(syncline_wait(half));
        MUST(syncline_wait_until64(&mine->flag, SYNCLINE_EQ, round, -1));
        for (const uint64_t word : mine->payload) {
            EXPECT(word == round);
        }
        EXPECT(mine->sum == round * (round + 1) / 2 * 5);
        // The producer may overwrite it now.
        uint64_t old = 0;
        MUST(syncline_fetch_add64(before, box + offsetof(Mailbox, acknowledged), 1, &old));
        MUST(syncline_wait_until64(&mine->acknowledged, SYNCLINE_GE, round, 20'000'000));
    }
    MUST(syncline_barrier());
    MUST(syncline_free(box));
}

void time_outs() {
    const syncline_address_t address = allocate(8);
    auto* const word = local(address);
    *word = 10;
    for (const uint64_t timeout_us : {0u, 1000u, 50000u}) {
        const uint64_t start = now_us();
        EXPECT_ERROR(syncline_wait_until64(word, SYNCLINE_EQ, 11, static_cast<int64_t>(timeout_us)),
                     SYNCLINE_ERR_TIMEOUT, "syncline_wait_until64");
        const uint64_t waited = now_us() - start;
        EXPECT(waited >= timeout_us && waited < timeout_us + 3'000'000);
    }
    // True at once, whatever the time-out.
    for (const int64_t timeout_us : {int64_t{-1}, int64_t{0}, int64_t{1000}, INT64_MAX}) {
        MUST(syncline_wait_until64(word, SYNCLINE_EQ, 10, timeout_us));
        MUST(syncline_wait_until64(word, SYNCLINE_NE, 9, timeout_us));
        MUST(syncline_wait_until64(word, SYNCLINE_GT, 9, timeout_us));
        MUST(syncline_wait_until64(word, SYNCLINE_GE, 10, timeout_us));
        MUST(syncline_wait_until64(word, SYNCLINE_LT, UINT64_MAX, timeout_us));  // unsigned
        MUST(syncline_wait_until64(word, SYNCLINE_LE, 10, timeout_us));
    }
    EXPECT_STATUS(syncline_wait_until64(word, SYNCLINE_GT, 10, 0), SYNCLINE_ERR_TIMEOUT);
    EXPECT_STATUS(syncline_wait_until64(word, SYNCLINE_LT, 10, 0), SYNCLINE_ERR_TIMEOUT);
    EXPECT_STATUS(syncline_wait_until64(word, SYNCLINE_NE, 10, 0), SYNCLINE_ERR_TIMEOUT);
    MUST(syncline_barrier());
    MUST(syncline_free(address));
}

// The writer comes long after the waiter has gone to sleep; every kind of write wakes.
void wakes() {
    const syncline_address_t address = allocate(16);
    auto* const word = local(address);
    const int next = (rank() + 1) % size();
    const uint64_t one = 1;
    syncline_pair_t pair = {5, 0};
    for (uint64_t kind = 1; kind <= 5; kind++) {
        MUST(syncline_barrier());
        if (rank() % 2 == 0) {
            sleep_us(30'000);
        }
        if (kind == 1) {
            MUST(syncline_put(next, address, &one, sizeof(one)));
        } else if (kind == 2) {
            uint64_t old = 0;
            MUST(syncline_fetch_add64(next, address, 1, &old));
        } else if (kind == 3) {
            MUST(syncline_add64(next, address, 1));
        } else if (kind == 4) {
            const uint8_t bytes[12] = {4};  // no whole word
            MUST(syncline_put(next, address, bytes, sizeof(bytes)));
        } else {
            MUST(syncline_swap128(next, address, pair, &pair));
        }
        const uint64_t start = now_us();
        // Waiting also lets the posted addition out.
        MUST(syncline_wait_until64(word, SYNCLINE_GE, kind, INT64_MAX));
        EXPECT(now_us() - start < 5'000'000);
    }
    MUST(syncline_barrier());
    MUST(syncline_free(address));
}

}  // namespace

void run_ordering() {
    ring();
    time_outs();
    wakes();
}

}  // namespace contract
