// SPDX-License-Identifier: BSD-3-Clause
// Method: several threads of each process call at once, each on places of its own and all on common sums; they take
// mutexes, of which each thread of each process wants the same ones; then each thread waits for what only another
// thread of its process sets off.
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "check.h"

using namespace armci_test;

namespace {

constexpr int thread_count = 4, turns = 60, mutex_turns = 20, count = 64;

void in_threads(void (*work)(const Blocks<double>& numbers, const Blocks<long>& counters, int thread),
                const Blocks<double>& numbers, const Blocks<long>& counters) {
    std::vector<std::thread> all;
    for (int thread = 0; thread < thread_count; thread++) {
        all.emplace_back([&, thread] { work(numbers, counters, thread); });
    }
    for (std::thread& one : all) {
        one.join();
    }
}

// A handle of its own, and one that all threads share, as Global Arrays has them.
void move_and_add(const Blocks<double>& numbers, const Blocks<long>& counters, int thread) {
    static armci_hdl_t shared = {};
    std::vector<double> mine(count), found(count);
    double* const place = numbers.at(next()) + (thread + 1) * count;
    double one = 1;
    for (int turn = 0; turn < turns; turn++) {
        std::iota(mine.begin(), mine.end(), me() * 1e6 + thread * 1e5 + turn * 100);
        armci_hdl_t own;
        ARMCI_INIT_HANDLE(&own);
        CHECK(ARMCI_NbPut(mine.data(), place, count * 8, next(), &own) == 0);
        CHECK(ARMCI_Wait(&own) == 0);
        CHECK(ARMCI_NbGet(place, found.data(), count * 8, next(), &own) == 0);
        CHECK(ARMCI_Wait(&own) == 0);
        CHECK_SAME(found.data(), mine.data(), count * 8);
        CHECK(ARMCI_NbGet(place, found.data(), count * 8, next(), &shared) == 0);
        std::fill(mine.begin(), mine.end(), 1.0);
        CHECK(ARMCI_Acc(ARMCI_ACC_DBL, &one, mine.data(), numbers.at(0), count * 8, 0) == 0);
        long old = -1;
        CHECK(ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, counters.at(0), 1, 0) == 0);
        CHECK(old >= 0 && old < long{size()} * thread_count * turns);
        CHECK(ARMCI_Wait(&shared) == 0);
    }
    ARMCI_WaitAll();
}

// A mutex at each process, which all threads of all processes want. The sum under it is no atomic one.
void lock_and_add(const Blocks<double>&, const Blocks<long>& counters, int thread) {
    for (int turn = 0; turn < mutex_turns; turn++) {
        const int process = (turn + thread) % size();
        long* const counter = counters.at(process) + 2;
        ARMCI_Lock(1, process);
        put_one<long>(get_one(counter, process) + 1, counter, process);
        ARMCI_Unlock(1, process);
    }
}

// While a thread has a mutex, another one waits for it, and what the first one calls goes on. A thread releases what
// another one has locked.
void wait_for_mutex() {
    std::atomic<bool> has{false};
    ARMCI_Lock(0, me());
    std::thread waiter([&] {
        ARMCI_Lock(0, me());
        has = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(!has);
    ARMCI_Lock(1, me());
    ARMCI_Unlock(1, me());
    ARMCI_Unlock(0, me());
    waiter.join();
    CHECK(has);
    ARMCI_Unlock(0, me());
}

// The neighbour's notice answers this process's own, which its other thread sends.
void wait_for_notice() {
    std::atomic<bool> waits{false};
    std::thread waiter([&] {
        int left = -1;
        waits = true;
        armci_notify_wait(next(size() - 1), &left);
    });
    while (!waits) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    armci_notify(next());
    waiter.join();
}

void wait_for_message() {
    std::vector<uint8_t> sent(9000, static_cast<uint8_t>(me() + 1)), come(9000);
    std::thread waiter([&] {
        int length = 0;
        armci_msg_rcv(1, come.data(), 9000, &length, next(size() - 1));
        CHECK(length == 9000);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    armci_msg_snd(1, sent.data(), 9000, next());
    waiter.join();
    CHECK(come[8999] == static_cast<uint8_t>(next(size() - 1) + 1));
}

// The first process comes to the barrier when the last one has told it to, whose other thread is in the barrier
// already.
void wait_in_barrier(const Blocks<long>& counters, long turn) {
    long* const told = counters.own() + 1;
    while (me() == 0 && size() > 1 && __atomic_load_n(told, __ATOMIC_ACQUIRE) != turn) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::thread waiter([] { ARMCI_Barrier(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (me() == size() - 1) {
        put_one<long>(turn, counters.at(0) + 1, 0);
    }
    waiter.join();
}

}  // namespace

void run_threads() {
    const Blocks<double> numbers((thread_count + 1) * count);
    const Blocks<long> counters(3);
    in_threads(move_and_add, numbers, counters);
    ARMCI_Barrier();
    const long all = long{size()} * thread_count * turns;
    CHECK_THAT(me() != 0 || *counters.own() == all, "{} instead of {}", *counters.own(), all);
    for (int i = 0; me() == 0 && i < count; i++) {
        CHECK_THAT(numbers.own()[i] == static_cast<double>(all), "{} instead of {}", numbers.own()[i], all);
    }
    CHECK(ARMCI_Create_mutexes(2) == 0);
    in_threads(lock_and_add, numbers, counters);
    ARMCI_Barrier();
    long locked = 0;
    for (int turn = 0; turn < mutex_turns; turn++) {
        for (int thread = 0; thread < thread_count; thread++) {
            locked += (turn + thread) % size() == me() ? size() : 0;
        }
    }
    CHECK_THAT(counters.own()[2] == locked, "{} instead of {}", counters.own()[2], locked);
    for (long turn = 1; turn <= 5; turn++) {
        wait_for_mutex();
        wait_for_notice();
        wait_for_message();
        wait_in_barrier(counters, turn);
    }
    CHECK(ARMCI_Destroy_mutexes() == 0);
}
