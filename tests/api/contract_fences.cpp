// SPDX-License-Identifier: BSD-3-Clause
// Method: in every round each PE starts stores, sums and a large put to some other PEs, many rounds to none, and does
// not wait for them; behind the fence and barrier the memory of every PE must be what all have sent to it. With each
// algorithm, over barriers by NIC and by host.
#include <cstring>

#include "contract.h"

namespace contract {
namespace {

constexpr size_t large = 3000;  // bytes: several packets

struct Area {
    syncline_address_t stored;  // [PE]: the number of the round in which that PE has last stored here
    syncline_address_t summed;  // a counter
    syncline_address_t put;     // [PE][large]
};

Area make_area() {
    const auto n = static_cast<size_t>(size());
    return {allocate(n * 8), allocate(8), allocate(n * large)};
}

// Whether one PE writes to another in a round: every PE can work that out.
bool writes(int from, int to, uint64_t round) {
    Random random(round * 1000 + static_cast<uint64_t>(from * 50 + to));
    random.next();
    return round % 4 != 0 && (round % 4 == 1 || random.below(3) == 0);
}

uint8_t byte_of(int from, uint64_t round) {
    return static_cast<uint8_t>(static_cast<uint64_t>(from) * 7 + round);
}

void start(const Area& area, uint64_t round, std::vector<uint8_t>* data) {
    const auto me = static_cast<size_t>(rank());
    data->assign(large, byte_of(rank(), round));
    for (int to = 0; to < size(); to++) {
        if (!writes(rank(), to, round)) {
            continue;
        }
        MUST(syncline_put_nb(to, area.put + me * large, data->data(), large, 0, nullptr));
        for (uint64_t i = 1; i <= 5; i++) {
            MUST(syncline_atomic_post(SYNCLINE_ADD | SYNCLINE_64, to, area.summed, &i, nullptr));
        }
        MUST(syncline_atomic_post(SYNCLINE_SWAP | SYNCLINE_64, to, area.stored + me * 8, &round, nullptr));
    }
}

// The values that must be here behind `round`; no PE has started the next one.
void check(const Area& area, uint64_t round, uint64_t* sum) {
    for (int from = 0; from < size(); from++) {
        const auto index = static_cast<size_t>(from);
        if (writes(from, rank(), round)) {
            *sum += 15;
            EXPECT(__atomic_load_n(local(area.stored) + index, __ATOMIC_ACQUIRE) == round);
            const auto* const bytes = local<uint8_t>(area.put + index * large);
            for (size_t i = 0; i < large; i++) {
                EXPECT(bytes[i] == byte_of(from, round));
            }
        }
    }
    EXPECT(__atomic_load_n(local(area.summed), __ATOMIC_ACQUIRE) == *sum);
}

// Counts take two packets at once.
bool has_counts() {
    const char* const window = std::getenv("SYNCLINE_TEST_WINDOW");
    return window == nullptr || std::strcmp(window, "1") != 0;
}

}  // namespace

void run_fences() {
    const Area area = make_area();
    std::vector<uint8_t> data;
    uint64_t round = 0;
    uint64_t sum = 0;
    for (const uint32_t flags : {0u, uint32_t{SYNCLINE_BARRIER_BY_HOST}}) {
        const syncline_barrier_options_t options = {sizeof(options), SYNCLINE_BARRIER_AUTO, 0, flags};
        syncline_barrier_t barrier = nullptr;
        MUST(syncline_barrier_open(2, nullptr, 0, &options, &barrier));
        for (int i = 0; i < repeats(12); i++) {
            for (const int algorithm :
                 {SYNCLINE_FENCE_AUTO, SYNCLINE_FENCE_ACKNOWLEDGED, SYNCLINE_FENCE_COUNTS, SYNCLINE_FENCE_LINEAR}) {
                round++;
                start(area, round, &data);
                if (algorithm == SYNCLINE_FENCE_COUNTS && !has_counts()) {
                    EXPECT_ERROR(syncline_fence_barrier(barrier, algorithm), SYNCLINE_ERR_UNSUPPORTED, "window of 2");
                    MUST(syncline_fence_barrier(barrier, SYNCLINE_FENCE_AUTO));
                } else {
                    MUST(syncline_fence_barrier(barrier, algorithm));
                }
                check(area, round, &sum);
                MUST(syncline_quiet());
                while (syncline_poll([](uint64_t, int, void*) {}, nullptr, 100) > 0) {
                }
                MUST(syncline_barrier_start(barrier));  // the next round writes to what this one looks at
                MUST(syncline_barrier_wait(barrier));
            }
        }
        MUST(syncline_barrier_close(barrier));
    }
}

void run_fence_arguments() {
    syncline_barrier_t all = nullptr;
    MUST(syncline_barrier_open(0, nullptr, 0, nullptr, &all));
    const int me = rank();
    syncline_barrier_t alone = nullptr;
    MUST(syncline_barrier_open(1 + me, &me, 1, nullptr, &alone));
    EXPECT_ERROR(syncline_fence_barrier(nullptr, SYNCLINE_FENCE_AUTO), SYNCLINE_ERR_INVALID, "NULL");
    EXPECT_ERROR(syncline_fence_barrier(all, -1), SYNCLINE_ERR_INVALID, "-1");
    EXPECT_ERROR(syncline_fence_barrier(all, 4), SYNCLINE_ERR_INVALID, "4");
    MUST(syncline_fence_barrier(alone, SYNCLINE_FENCE_AUTO));
    MUST(syncline_fence_barrier(alone, SYNCLINE_FENCE_LINEAR));
    EXPECT_STATUS(syncline_fence_barrier(alone, SYNCLINE_FENCE_COUNTS),
                  size() == 1 && has_counts() ? SYNCLINE_OK : SYNCLINE_ERR_UNSUPPORTED);
    MUST(syncline_barrier_start(all));
    EXPECT_ERROR(syncline_fence_barrier(all, SYNCLINE_FENCE_AUTO), SYNCLINE_ERR_INVALID, "running");
    MUST(syncline_barrier_wait(all));
    // An operation of this PE that fails: it takes part all the same, and hears of it.
    const uint64_t one = 1;
    const syncline_address_t nowhere = 1ull << 40;  // segment 1, which no PE has registered
    for (const int algorithm : {SYNCLINE_FENCE_ACKNOWLEDGED, SYNCLINE_FENCE_LINEAR, SYNCLINE_FENCE_COUNTS}) {
        if (algorithm == SYNCLINE_FENCE_COUNTS && !has_counts()) {
            continue;
        }
        const int posted = syncline_atomic_post(SYNCLINE_ADD | SYNCLINE_64, (me + 1) % size(), nowhere, &one, nullptr);
        int fenced = syncline_fence_barrier(all, algorithm);
        if (algorithm == SYNCLINE_FENCE_COUNTS) {
            fenced = fenced == SYNCLINE_OK ? syncline_quiet() : fenced;
        }
        EXPECT(posted == SYNCLINE_ERR_ADDRESS || fenced == SYNCLINE_ERR_ADDRESS);
    }
    MUST(syncline_barrier_close(alone));
    MUST(syncline_barrier_close(all));
}

}  // namespace contract
