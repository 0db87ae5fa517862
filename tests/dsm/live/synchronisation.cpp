// SPDX-License-Identifier: BSD-3-Clause
// Method: locks, conditions, flags and their numbers, each in the use that it is there for, counted and compared.
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "check.h"

using namespace dsm_live;

void run_mutual_exclusion() {
    constexpr uint64_t sections = 40;
    const Shared<uint64_t> words(3 * page_words);
    for (uint64_t i = 0; i < sections; i++) {
        const auto lock = static_cast<uint32_t>(50 + i % 3);
        const Locked locked(lock);
        const size_t place = i % 3 * page_words;
        const uint64_t before = words[place];
        words[place + 1] = static_cast<uint64_t>(me());
        if (i % 7 == 0) {
            ::usleep(50);
        }
        CHECK(words[place + 1] == static_cast<uint64_t>(me()));
        words[place] = before + 1;
    }
    barrier();
    const uint64_t all = words[0] + words[page_words] + words[2 * page_words];
    CHECK_THAT(all == sections * static_cast<uint64_t>(size()), "{} sections", all);
}

namespace {

enum class Order { kKept, kWrong, kTooClose };

// Process 0 has the lock, and the others ask for it one behind the other, `pause` apart, in the order of their numbers.
// Process 0 gives it back and asks again. A busy machine may keep a process from asking in time: too close.
Order look_at_order(const Shared<uint64_t>& order, const Shared<uint64_t>& asked, uint32_t flag, uint64_t turn,
                    uint64_t pause_us) {
    const auto last = static_cast<size_t>(size()) - 1;
    const auto own = static_cast<size_t>(me());
    uint64_t when = 0;
    if (me() == 0) {
        order[last + 1] = 0;
        CHECK_OK(syncline_dsm_lock(60));
        CHECK_OK(syncline_dsm_flag_set(flag, turn));
        ::usleep(static_cast<useconds_t>(size() * pause_us));
        when = syncline::now_ns();
        CHECK_OK(syncline_dsm_unlock(60));
    } else {
        CHECK_OK(syncline_dsm_flag_wait(flag, turn, nullptr));
        ::usleep(static_cast<useconds_t>(own * pause_us));
        when = syncline::now_ns();
    }
    {
        const Locked locked(60);
        order[order[last + 1]] = own;
        order[last + 1] = order[last + 1] + 1;
    }
    asked[own] = when;
    barrier();
    Order result = Order::kKept;
    for (size_t place = 0; place <= last; place++) {  // process 0 comes last
        const size_t next = (place + 1) % (last + 1);
        if (order[place] != next) {
            result = Order::kWrong;
        }
    }
    for (size_t process = 1; process <= last; process++) {
        if (asked[(process + 1) % (last + 1)] < asked[process] + pause_us * 500) {
            result = Order::kTooClose;
        }
    }
    barrier();
    return result;
}

}  // namespace

// First come, first served between processes.
void run_order_of_a_lock() {
    const Shared<uint64_t> order(1 + static_cast<size_t>(size()));
    const Shared<uint64_t> asked(static_cast<size_t>(size()));
    const uint32_t flag = take_numbers(1);
    Order seen = Order::kTooClose;
    uint64_t turn = 0;
    for (uint64_t pause_us = 200'000; seen == Order::kTooClose && pause_us <= 3'200'000; pause_us *= 4) {
        seen = look_at_order(order, asked, flag, ++turn, pause_us);
    }
    CHECK_THAT(seen == Order::kKept, "{}",
               seen == Order::kWrong ? "processes are not served in the order in which they ask"
                                     : "the machine is too busy for processes to ask one behind the other");
}

void run_tries() {
    const Shared<uint64_t> words(2);
    for (int turn = 0; turn < 10; turn++) {
        if (me() == 0) {
            CHECK_OK(syncline_dsm_try_lock(61));
            words[0] = words[0] + 1;
        }
        barrier();
        if (me() != 0) {
            CHECK_FAILS(syncline_dsm_try_lock(61), SYNCLINE_ERR_BUSY, "lock 61 is taken");
            CHECK_FAILS(syncline_dsm_unlock(61), SYNCLINE_ERR_INVALID, "this process has not got lock 61");
        } else {
            CHECK_FAILS(syncline_dsm_try_lock(61), SYNCLINE_ERR_BUSY, "taken");
        }
        barrier();
        if (me() == 0) {
            CHECK_OK(syncline_dsm_unlock(61));
        }
        barrier();
        for (bool has_it = false; !has_it;) {  // others try and wait at the same time
            if ((me() + turn) % 2 == 0) {
                const Locked locked(61);
                words[1] = words[1] + 1;
                has_it = true;
            } else if (syncline_dsm_try_lock(61) == SYNCLINE_OK) {
                words[1] = words[1] + 1;
                CHECK_OK(syncline_dsm_unlock(61));
                has_it = true;
            }
        }
        barrier();
    }
    CHECK_THAT(words[0] == 10 && words[1] == 10 * static_cast<uint64_t>(size()), "{} and {}", uint64_t{words[0]},
               uint64_t{words[1]});
}

namespace {

// Places for some numbers, which all processes put there and take from there.
struct Buffer {
    static constexpr uint32_t lock = 70;
    static constexpr uint64_t room = 3;
    static constexpr uint64_t numbers = 30;  // of each process

    Shared<uint64_t> words{page_words};  // how many there are, the numbers, the sum of all that were taken
    const uint32_t filled = take_numbers(2);
    const uint32_t emptied = filled + 1;

    void put(uint64_t number) const {
        const Locked locked(lock);
        while (words[0] == room) {
            CHECK_OK(syncline_dsm_cond_wait(emptied, lock));
        }
        words[1 + words[0]] = number;
        words[0] = words[0] + 1;
        CHECK_OK(syncline_dsm_cond_signal(filled));
    }
    void take() const {
        const Locked locked(lock);
        while (words[0] == 0) {
            CHECK_OK(syncline_dsm_cond_wait(filled, lock));
        }
        words[0] = words[0] - 1;
        words[100] = words[100] + words[1 + words[0]];
        CHECK_OK(syncline_dsm_cond_signal(emptied));
    }
};

}  // namespace

// Half of the processes put, the others take; an odd one does both.
void run_bounded_buffer() {
    const Buffer buffer;
    const bool is_odd = me() == size() - 1 && size() % 2 != 0;
    for (uint64_t i = 1; i <= Buffer::numbers; i++) {
        if (me() % 2 == 0) {
            buffer.put(i + static_cast<uint64_t>(me()) * 1000);
        }
        if (me() % 2 != 0 || is_odd) {
            buffer.take();
        }
    }
    barrier();
    uint64_t expected = 0;
    for (uint64_t process = 0; process < static_cast<uint64_t>(size()); process += 2) {
        expected += Buffer::numbers * (Buffer::numbers + 1) / 2 + process * 1000 * Buffer::numbers;
    }
    CHECK_THAT(buffer.words[0] == 0 && buffer.words[100] == expected, "{} instead of {}", uint64_t{buffer.words[100]},
               expected);
}

// Values that grow by more than one; those that wait for less see what there is.
void run_flags() {
    const uint32_t flag = take_numbers(3);
    uint64_t seen = 77;
    CHECK_OK(syncline_dsm_flag_wait(flag, 0, &seen));
    CHECK_THAT(seen == 0, "a flag is {} at first", seen);
    barrier();
    if (me() == 0) {
        for (uint64_t value = 10; value <= 100; value += 10) {
            CHECK_OK(syncline_dsm_flag_set(flag, value));
        }
        CHECK_OK(syncline_dsm_flag_set(flag + 1, UINT64_MAX));
    }
    for (uint64_t value = 5; value <= 95; value += 15) {
        CHECK_OK(syncline_dsm_flag_wait(flag, value, &seen));
        CHECK_THAT(seen >= value && seen % 10 == 0 && seen <= 100, "{} for {}", seen, value);
    }
    CHECK_OK(syncline_dsm_flag_wait(flag + 1, UINT64_MAX, &seen));
    CHECK(seen == UINT64_MAX);
    CHECK_OK(syncline_dsm_flag_wait(flag + 2, 0, nullptr));
    barrier();
}

// Numbers are given out once; a call for more than there are takes none.
void run_numbers() {
    const Shared<uint64_t> taken(static_cast<size_t>(size()) * 8);
    const auto own = static_cast<size_t>(me()) * 8;
    for (size_t i = 0; i < 8; i += 2) {
        uint32_t first = 0;
        CHECK_OK(syncline_dsm_take_numbers(2, &first));
        taken[own + i] = first;
        taken[own + i + 1] = first + 1;
    }
    barrier();
    std::vector<uint64_t> all(taken.data(), taken.data() + static_cast<size_t>(size()) * 8);
    std::sort(all.begin(), all.end());
    CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
    CHECK_THAT(all.back() < 4096, "number {}", all.back());
    uint32_t first = 99;
    CHECK_FAILS(syncline_dsm_take_numbers(5000, &first), SYNCLINE_ERR_NO_MEMORY, "5000 numbers are asked for");
    CHECK_FAILS(syncline_dsm_take_numbers(UINT32_MAX, &first), SYNCLINE_ERR_NO_MEMORY, "syncline_dsm_options_t");
    CHECK_THAT(first == 99, "a call that fails leaves {}", first);
    CHECK_OK(syncline_dsm_take_numbers(1, &first));
    CHECK_THAT(first < all.front(), "number {}", first);
    barrier();
}
