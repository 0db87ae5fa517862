// SPDX-License-Identifier: BSD-3-Clause
// Method: numbered barriers, over all PEs and over some, with every algorithm and dimension that the job's size allows,
// by NICs, by hosts and by signals. In front of a round a PE puts its round's number into a word of every other PE;
// behind it, all words must have that round's number or the next. Values are checked against what every PE can work
// out.
#include <bit>
#include <cmath>

#include "contract.h"

namespace contract {
namespace {

struct Kind {
    int algorithm;
    uint32_t dimension;
    uint32_t flags;
};

std::vector<Kind> kinds() {
    std::vector<Kind> all = {
        {SYNCLINE_BARRIER_AUTO, 0, 0}, {SYNCLINE_BARRIER_AUTO, 2, 0}, {SYNCLINE_BARRIER_SIGNALS, 0, 0}};
    for (const uint32_t flags : {0u, uint32_t{SYNCLINE_BARRIER_BY_HOST}}) {
        all.push_back({SYNCLINE_BARRIER_EXCHANGE, 0, flags});
        for (int dimension = 1; dimension < syncline_nodes() || dimension == 1; dimension++) {
            all.push_back({SYNCLINE_BARRIER_TREE, static_cast<uint32_t>(dimension), flags});
        }
    }
    return all;
}

syncline_barrier_t open(int id, const Kind& kind, const std::vector<int>& ranks = {}) {
    syncline_barrier_options_t options = {sizeof(options), kind.algorithm, kind.dimension, kind.flags};
    syncline_barrier_t barrier = nullptr;
    MUST(syncline_barrier_open(id, ranks.empty() ? nullptr : ranks.data(), static_cast<int>(ranks.size()), &options,
                               &barrier));
    return barrier;
}

void run(syncline_barrier_t barrier) {
    MUST(syncline_barrier_start(barrier));
    MUST(syncline_barrier_wait(barrier));
}

// `rounds` rounds of a barrier among `ranks`; no PE gets through one early.
void check_rounds(syncline_barrier_t barrier, const std::vector<int>& ranks, syncline_address_t arrived, int rounds) {
    const auto* const words = local(arrived);
    Random random(static_cast<uint64_t>(rank()) + 11);
    for (int round = 1; round <= rounds; round++) {
        for (const int other : ranks) {
            MUST(syncline_store64(other, arrived + static_cast<size_t>(rank()) * 8, static_cast<uint64_t>(round)));
        }
        MUST(syncline_quiet());
        if (random.below(100) == 0) {
            sleep_us(random.below(2000));
        }
        run(barrier);
        for (const int other : ranks) {
            const uint64_t seen = __atomic_load_n(&words[other], __ATOMIC_ACQUIRE);
            EXPECT(seen == static_cast<uint64_t>(round) || seen == static_cast<uint64_t>(round) + 1);
        }
    }
}

std::vector<int> all_ranks() {
    std::vector<int> ranks;
    for (int other = 0; other < size(); other++) {
        ranks.push_back(other);
    }
    return ranks;
}

void clear(syncline_address_t arrived) {
    for (int other = 0; other < size(); other++) {
        local(arrived)[other] = 0;
    }
    MUST(syncline_barrier());
}

// A number goes from members to other members and back, and the leader comes last: what it said the first time is no
// longer true. `first` and `then`: the algorithms.
void reopen(int first, int then) {
    const std::vector<int> all = all_ranks();
    const std::vector<int> others(all.begin() + 1, all.end());
    constexpr int number = 12;
    for (int turn = 0; turn < 4; turn++) {
        MUST(syncline_barrier());  // the number is free at all PEs
        if (rank() == 0) {
            sleep_us(20'000);
        }
        const syncline_barrier_t of_all = open(number, {first, 0, 0}, all);
        run(of_all);
        MUST(syncline_barrier_close(of_all));
        if (rank() != 0) {
            const syncline_barrier_t of_others = open(number, {then, 0, 0}, others);
            run(of_others);
            MUST(syncline_barrier_close(of_others));
        }
    }
    MUST(syncline_barrier());
}

}  // namespace

void run_nic_barriers() {
    const syncline_address_t arrived = allocate(static_cast<size_t>(size()) * 8);
    for (const Kind& kind : kinds()) {
        const syncline_barrier_t barrier = open(3, kind);
        clear(arrived);
        check_rounds(barrier, all_ranks(), arrived, repeats(30));
        MUST(syncline_barrier_close(barrier));
    }
    MUST(syncline_free(arrived));
}

// Barriers of overlapping sets of PEs at once, and the same number again for others right afterwards.
void run_subsets() {
    const syncline_address_t arrived = allocate(static_cast<size_t>(size()) * 8);
    std::vector<int> halves[2];
    for (int other = 0; other < size(); other++) {
        halves[other % 2].push_back(other);
    }
    const std::vector<int>& mine = halves[rank() % 2];
    for (int again = 0; again < 5; again++) {
        const syncline_barrier_t all = open(0, {SYNCLINE_BARRIER_AUTO, 0, 0});
        // Backwards: the leader is another one.
        const syncline_barrier_t half =
            open(1 + rank() % 2, {SYNCLINE_BARRIER_TREE, 1, 0}, std::vector<int>(mine.rbegin(), mine.rend()));
        clear(arrived);
        MUST(syncline_barrier_start(all));
        check_rounds(half, mine, arrived, 20);
        MUST(syncline_barrier_wait(all));
        MUST(syncline_barrier_close(half));
        MUST(syncline_barrier_close(all));
    }
    MUST(syncline_free(arrived));
}

void run_reductions() {
    for (const Kind& kind : kinds()) {
        const syncline_barrier_t barrier = open(5, kind);
        const auto n = static_cast<uint64_t>(size());
        const auto me = static_cast<uint64_t>(rank());
        for (uint64_t round = 1; round <= 10; round++) {
            uint64_t result = 0;
            const int64_t minus = -static_cast<int64_t>(me * round);
            int64_t extreme = 1;
            MUST(syncline_reduce(barrier, SYNCLINE_MIN, &minus, &extreme));
            EXPECT(extreme == -static_cast<int64_t>((n - 1) * round));
            MUST(syncline_reduce(barrier, SYNCLINE_MAX, &minus, &extreme));
            EXPECT(extreme == 0);
            const uint64_t bit = 1ull << me;
            MUST(syncline_reduce(barrier, SYNCLINE_BITOR, &bit, &result));
            EXPECT(result == (1ull << n) - 1);
            const uint64_t without = ~bit;
            MUST(syncline_reduce(barrier, SYNCLINE_BITAND, &without, &result));
            EXPECT(result == ~((1ull << n) - 1));
            const double half = 0.5 - static_cast<double>(me);
            double found = 0;
            MUST(syncline_reduce(barrier, SYNCLINE_MIN_DOUBLE, &half, &found));
            EXPECT(found == 1.5 - static_cast<double>(n));
            MUST(syncline_reduce(barrier, SYNCLINE_MAX_DOUBLE, &half, &found));
            EXPECT(found == 0.5);
            uint64_t told = me == n - 1 ? 1000 + round : 7;
            MUST(syncline_broadcast64(barrier, size() - 1, &told));
            EXPECT(told == 1000 + round);
            const uint64_t add = me + round;
            const int status = syncline_reduce(barrier, SYNCLINE_SUM, &add, &result);
            if (kind.algorithm == SYNCLINE_BARRIER_EXCHANGE && status == SYNCLINE_ERR_UNSUPPORTED) {
                EXPECT((syncline_nodes() & (syncline_nodes() - 1)) != 0);
                continue;
            }
            MUST(status);
            EXPECT(result == n * (n - 1) / 2 + n * round);
            MUST(syncline_reduce(barrier, SYNCLINE_BITXOR, &bit, &result));
            EXPECT(result == (1ull << n) - 1);
            const double quarter = 0.25;
            MUST(syncline_reduce(barrier, SYNCLINE_SUM_DOUBLE, &quarter, &found));
            EXPECT(found == 0.25 * static_cast<double>(n));
            // All PEs get one NaN, in any order of the additions.
            const double endless = me % 2 == 0 ? HUGE_VAL : -HUGE_VAL;
            MUST(syncline_reduce(barrier, SYNCLINE_SUM_DOUBLE, &endless, &found));
            EXPECT(n == 1 ? found == HUGE_VAL : std::bit_cast<uint64_t>(found) == 0x7ff8000000000000);
            const float eighth = -0.125F * static_cast<float>(me);
            float least = 0;
            MUST(syncline_reduce(barrier, SYNCLINE_SUM_FLOAT, &eighth, &least));
            EXPECT(least == -0.125F * static_cast<float>(n * (n - 1) / 2));
            MUST(syncline_reduce(barrier, SYNCLINE_MIN_FLOAT, &eighth, &least));
            EXPECT(least == -0.125F * static_cast<float>(n - 1));
            MUST(syncline_reduce(barrier, SYNCLINE_MAX_FLOAT, &eighth, &least));
            EXPECT(least == 0);
        }
        MUST(syncline_barrier_close(barrier));
    }
}

// The last PE starts and makes no other call until all others are through: none of them waits for it, if its NIC does
// its part.
void run_fuzzy() {
    const syncline_barrier_t barrier = open(7, {SYNCLINE_BARRIER_EXCHANGE, 0, 0});
    const syncline_address_t through = allocate(8);
    run(barrier);
    MUST(syncline_barrier());
    MUST(syncline_barrier_start(barrier));
    if (rank() == size() - 1) {
        const auto others = static_cast<uint64_t>(size() - 1);
        const uint64_t start = now_us();
        while (__atomic_load_n(local(through), __ATOMIC_ACQUIRE) < others && now_us() - start < 20'000'000) {
            sleep_us(100);
        }
        EXPECT(__atomic_load_n(local(through), __ATOMIC_ACQUIRE) == others);
        MUST(syncline_barrier_wait(barrier));
    } else {
        uint64_t before = 0;
        MUST(syncline_barrier_wait(barrier));
        MUST(syncline_fetch_add64(size() - 1, through, 1, &before));
    }
    MUST(syncline_barrier_close(barrier));
    MUST(syncline_free(through));
}

void run_reopened() {
    if (size() < 3) {
        return;
    }
    reopen(SYNCLINE_BARRIER_AUTO, SYNCLINE_BARRIER_AUTO);
    reopen(SYNCLINE_BARRIER_SIGNALS, SYNCLINE_BARRIER_SIGNALS);
    reopen(SYNCLINE_BARRIER_SIGNALS, SYNCLINE_BARRIER_AUTO);
}

// Each PE opens a barrier of its own under the number that all use: a node has one at a time.
void run_one_number() {
    constexpr int number = 13;
    for (int turn = 0; turn < 50; turn++) {
        const syncline_barrier_t own = open(number, {SYNCLINE_BARRIER_AUTO, 0, 0}, {rank()});
        run(own);
        MUST(syncline_barrier_close(own));
    }
    MUST(syncline_barrier());
}

void run_nic_barrier_arguments() {
    syncline_barrier_t barrier = nullptr;
    const int twice[] = {rank(), rank()};
    const int absent[] = {size()};
    const int other[] = {(rank() + 1) % size()};
    const int self[] = {rank()};
    int done = 0;
    uint64_t value = 1;
    syncline_barrier_options_t options = {sizeof(options), 9, 0, 0};
    EXPECT_ERROR(syncline_barrier_open(64, nullptr, 0, nullptr, &barrier), SYNCLINE_ERR_INVALID, "64");
    EXPECT_ERROR(syncline_barrier_open(-1, nullptr, 0, nullptr, &barrier), SYNCLINE_ERR_INVALID, "-1");
    EXPECT_ERROR(syncline_barrier_open(1, twice, 2, nullptr, &barrier), SYNCLINE_ERR_INVALID, "twice");
    EXPECT_ERROR(syncline_barrier_open(1, twice, 0, nullptr, &barrier), SYNCLINE_ERR_INVALID, "0 members");
    EXPECT_ERROR(syncline_barrier_open(1, absent, 1, nullptr, &barrier), SYNCLINE_ERR_RANK, "no PE");
    if (size() > 1) {
        EXPECT_ERROR(syncline_barrier_open(1, other, 1, nullptr, &barrier), SYNCLINE_ERR_INVALID, "not a member");
    }
    EXPECT_ERROR(syncline_barrier_open(1, self, 1, &options, &barrier), SYNCLINE_ERR_INVALID, "algorithm 9");
    EXPECT_ERROR(syncline_barrier_open(1, self, 1, nullptr, nullptr), SYNCLINE_ERR_INVALID, "NULL");
    for (const int algorithm : {SYNCLINE_BARRIER_AUTO, SYNCLINE_BARRIER_TREE}) {
        options = {sizeof(options), algorithm, SYNCLINE_TREE_MAX + 1, 0};
        EXPECT_ERROR(syncline_barrier_open(1, self, 1, &options, &barrier), SYNCLINE_ERR_UNSUPPORTED, "wider");
        for (const uint32_t dimension : {0, +SYNCLINE_TREE_MAX}) {
            options.dimension = dimension;
            MUST(syncline_barrier_open(1, self, 1, &options, &barrier));
            MUST(syncline_barrier_close(barrier));
        }
    }
    EXPECT_ERROR(syncline_barrier_start(nullptr), SYNCLINE_ERR_INVALID, "NULL");
    options = {sizeof(options), SYNCLINE_BARRIER_SIGNALS, 0, 0};
    MUST(syncline_barrier_open(11, self, 1, &options, &barrier));
    syncline_barrier_t second = nullptr;
    EXPECT_ERROR(syncline_barrier_open(11, self, 1, &options, &second), SYNCLINE_ERR_BUSY, "still open");
    MUST(syncline_barrier_start(barrier));
    MUST(syncline_barrier_close(barrier));
    MUST(syncline_barrier_open(10, self, 1, nullptr, &barrier));
    MUST(syncline_barrier_test(barrier, &done));
    EXPECT(done == 1);
    EXPECT_ERROR(syncline_reduce_start(barrier, 0, &value), SYNCLINE_ERR_INVALID, "combine");
    EXPECT_ERROR(syncline_broadcast64(barrier, size(), &value), SYNCLINE_ERR_INVALID, "member");
    MUST(syncline_barrier_start(barrier));
    EXPECT_ERROR(syncline_barrier_start(barrier), SYNCLINE_ERR_INVALID, "running");
    MUST(syncline_barrier_close(barrier));
}

}  // namespace contract
