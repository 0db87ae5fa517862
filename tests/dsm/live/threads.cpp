// SPDX-License-Identifier: BSD-3-Clause
// Method: several threads in each process access shared memory, take the same locks as threads of their own process and
// of others, and wait, while one thread of each process goes to barriers.
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "check.h"

namespace dsm_live {
namespace {

constexpr uint64_t thread_count = 4, thread_turns = 25;

template <typename Work>
void in_threads(Work&& work) {
    std::vector<std::thread> all;
    for (uint64_t thread = 0; thread < thread_count; thread++) {
        all.emplace_back([&, thread] { work(thread); });
    }
    for (std::thread& one : all) {
        one.join();
    }
}

uint64_t all_threads() {
    return thread_count * static_cast<uint64_t>(size());
}

}  // namespace
}  // namespace dsm_live

using namespace dsm_live;

void run_threads_and_locks() {
    const Shared<uint64_t> words(4 * page_words);  // a counter for each of three locks, a word for each thread
    in_threads([&](uint64_t thread) {
        const size_t own = 3 * page_words + static_cast<size_t>(me()) * thread_count + thread;
        for (uint64_t turn = 0; turn < thread_turns; turn++) {
            const auto which = static_cast<uint32_t>((turn + thread) % 3);
            {
                const Locked locked(80 + which);
                words[which * page_words] = words[which * page_words] + 1;
            }
            words[own] = words[own] + turn;
            if (syncline_dsm_try_lock(83) == SYNCLINE_OK) {
                words[own] = words[own] + 1000;
                CHECK_OK(syncline_dsm_unlock(83));
            }
        }
    });
    barrier();
    const uint64_t sections = words[0] + words[page_words] + words[2 * page_words];
    CHECK_THAT(sections == all_threads() * thread_turns, "{} sections", sections);
    for (size_t thread = 0; thread < all_threads(); thread++) {
        CHECK_THAT(words[3 * page_words + thread] % 1000 == thread_turns * (thread_turns - 1) / 2, "thread {} has {}",
                   thread, uint64_t{words[3 * page_words + thread]});
    }
}

// The barrier takes with it what the other threads have written before the thread came, and disturbs none of them.
void run_threads_and_barriers() {
    const Shared<uint64_t> words(2 * page_words);
    std::atomic<uint64_t> progress[thread_count] = {};
    in_threads([&](uint64_t thread) {
        if (thread == 0) {
            for (uint64_t turn = 1; turn <= thread_turns; turn++) {
                uint64_t sure[thread_count];
                for (uint64_t other = 1; other < thread_count; other++) {
                    while (progress[other] < turn) {
                        std::this_thread::yield();
                    }
                    sure[other] = progress[other];
                    words[512 + static_cast<size_t>(me()) * thread_count + other] = sure[other];
                }
                barrier();
                for (size_t i = 0; i < all_threads(); i++) {
                    if (i % thread_count != 0) {
                        CHECK_THAT(words[512 + i] >= turn, "thread {} is at {} in turn {}", i, uint64_t{words[512 + i]},
                                   turn);
                    }
                }
                barrier();
            }
            return;
        }
        const size_t own = static_cast<size_t>(me()) * thread_count + thread;
        for (uint64_t turn = 1; turn <= thread_turns; turn++) {
            words[own] = words[own] + turn;
            progress[thread] = turn;
            const Locked locked(84 + static_cast<uint32_t>(turn % 2));
            words[1020 + turn % 2] = words[1020 + turn % 2] + 1;
        }
    });
    barrier();
    for (size_t i = 0; i < all_threads(); i++) {
        CHECK_THAT(i % thread_count == 0 || words[i] == thread_turns * (thread_turns + 1) / 2, "thread {} has {}", i,
                   uint64_t{words[i]});
    }
    const uint64_t sections = words[1020] + words[1021];
    CHECK_THAT(sections == (thread_count - 1) * static_cast<uint64_t>(size()) * thread_turns, "{} sections", sections);
}

// By any means: a mutex, and an atomic word in shared memory, which are of use within the process.
void run_threads_of_one_process() {
    const Shared<uint64_t> words(static_cast<size_t>(size()) * page_words);
    const size_t own = static_cast<size_t>(me()) * page_words + 3;
    std::mutex guard;
    uint32_t flag = take_numbers(1);
    in_threads([&](uint64_t thread) {
        for (uint64_t turn = 1; turn <= 4 * thread_turns; turn++) {
            {
                const std::lock_guard<std::mutex> locked(guard);
                words[own] = words[own] + 1;
            }
            __atomic_fetch_add(words.data() + own + 1, 1, __ATOMIC_SEQ_CST);
            if (thread == 0 && turn % 10 == 0) {
                CHECK_OK(syncline_dsm_lock(86));  // an acquire and a release in between
                CHECK_OK(syncline_dsm_unlock(86));
            }
        }
        // All threads of all processes wait for one flag.
        CHECK_OK(thread == 0 && me() == 0 ? syncline_dsm_flag_set(flag, 1) : syncline_dsm_flag_wait(flag, 1, nullptr));
    });
    barrier();
    for (size_t process = 0; process < static_cast<size_t>(size()); process++) {
        const uint64_t by_mutex = words[process * page_words + 3], by_atomics = words[process * page_words + 4];
        CHECK_THAT(by_mutex == 4 * thread_turns * thread_count && by_atomics == by_mutex, "{} and {} of process {}",
                   by_mutex, by_atomics, process);
    }
}
