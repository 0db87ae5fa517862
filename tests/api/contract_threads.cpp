// SPDX-License-Identifier: BSD-3-Clause
// Method: four threads per PE use the library at the same time, each in another way: blocking atomics, requests, tags
// with poll, puts and gets with fences, waits on words; counts in memory and of tags must come out exactly.
#include <atomic>
#include <functional>
#include <thread>

#include "contract.h"

namespace contract {
namespace {

// Words at every PE; each thread's own.
struct Shared {
    uint64_t blocking;
    uint64_t requests;
    uint64_t tagged;
    uint64_t posted;
    uint64_t turn;
    uint64_t reserved[3];
    uint8_t inbox[8][512];
};

void blocking(syncline_address_t base, int count) {
    for (int i = 0; i < count; i++) {
        uint64_t old = 0;
        MUST(syncline_fetch_add64((rank() + i) % size(), base + offsetof(Shared, blocking), 1, &old));
        MUST(syncline_add64((rank() + i) % size(), base + offsetof(Shared, posted), 1));
    }
    MUST(syncline_quiet());
}

void by_request(syncline_address_t base, int count) {
    for (int i = 0; i < count; i += 4) {
        uint64_t old[4];
        syncline_request_t request[4];
        for (int j = 0; j < 4; j++) {
            MUST(syncline_fetch_add64_nb((rank() + i + j) % size(), base + offsetof(Shared, requests), 1, &old[j], 0,
                                         &request[j]));
        }
        for (const syncline_request_t one : request) {
            MUST(syncline_wait(one));
        }
    }
}

void count_tag(uint64_t, int status, void* context) {
    EXPECT(status == SYNCLINE_OK);
    static_cast<std::atomic<int>*>(context)->fetch_add(1);
}

void by_tag(syncline_address_t base, int count, std::atomic<int>* handed_out) {
    std::vector<uint64_t> old(static_cast<size_t>(count));
    for (int i = 0; i < count; i++) {
        MUST(syncline_fetch_add64_nb((rank() + i) % size(), base + offsetof(Shared, tagged), 1,
                                     &old[static_cast<size_t>(i)], 1, nullptr));
        EXPECT(syncline_poll(count_tag, handed_out, 3) >= 0);
    }
    while (handed_out->load() < count) {
        EXPECT(syncline_poll(count_tag, handed_out, 100) >= 0);
    }
}

// Also waits for a word that the neighbour's same thread writes.
void by_puts(syncline_address_t base, int count) {
    const int next = (rank() + 1) % size();
    const auto* const turn = local(base + offsetof(Shared, turn));
    uint8_t data[512];
    for (int i = 1; i <= count / 4; i++) {
        std::fill(data, data + sizeof(data), static_cast<uint8_t>(i));
        MUST(syncline_put(next, base + offsetof(Shared, inbox) + 512, data, sizeof(data)));
        MUST(syncline_fence(next));
        MUST(syncline_get(next, base + offsetof(Shared, inbox) + 512, data, sizeof(data)));
        EXPECT(data[0] == static_cast<uint8_t>(i) && data[511] == static_cast<uint8_t>(i));
        MUST(syncline_add64(next, base + offsetof(Shared, turn), 1));
        MUST(syncline_wait_until64(turn, SYNCLINE_GE, static_cast<uint64_t>(i), 30'000'000));
    }
}

}  // namespace

void run_threads() {
    const int count = repeats(200);
    const syncline_address_t base = allocate(sizeof(Shared));
    std::atomic<int> handed_out{0};
    std::vector<std::thread> all;
    all.emplace_back([&] { blocking(base, count); });
    all.emplace_back([&] { by_request(base, count); });
    all.emplace_back([&] { by_tag(base, count, &handed_out); });
    all.emplace_back([&] { by_puts(base, count); });
    for (std::thread& one : all) {
        one.join();
    }
    EXPECT(handed_out.load() == count);
    MUST(syncline_barrier());
    uint64_t sums[4] = {};
    for (int pe = 0; pe < size(); pe++) {
        Shared there;
        MUST(syncline_get(pe, base, &there, sizeof(there)));
        sums[0] += there.blocking;
        sums[1] += there.requests;
        sums[2] += there.tagged;
        sums[3] += there.posted;
    }
    for (const uint64_t sum : sums) {
        EXPECT(sum == static_cast<uint64_t>(count * size()));
    }
    MUST(syncline_barrier());
}

}  // namespace contract
