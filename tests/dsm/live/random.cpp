// SPDX-License-Identifier: BSD-3-Clause
// Method: random programs without data races (../program.h), as in the deterministic simulation, by real processes with
// up to three threads each. Each seed has memory, threads and homes of its own.
//
//   SYNCLINE_SEED=<s>    the programs from s on
//   SYNCLINE_SEEDS=<n>   so many
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "actor.h"
#include "check.h"

namespace dsm_live {
namespace {

using syncline::Prng;
using syncline::dsm_test::Actor;
using syncline::dsm_test::Machine;
using syncline::dsm_test::Program;

constexpr uint64_t page_bytes = 4096;
constexpr uint64_t values_of_a_seed = 1'000'000;  // that a flag goes on by

// The threads of a process meet, and one of them goes to the barrier of all processes.
class Meeting {
  public:
    explicit Meeting(uint32_t threads) : threads_(threads) {}
    void arrive() {
        std::unique_lock<std::mutex> guard(guard_);
        const uint64_t meeting = meetings_;
        if (++arrived_ == threads_) {
            barrier();
            arrived_ = 0;
            meetings_++;
            over_.notify_all();
        } else {
            over_.wait(guard, [&] { return meetings_ != meeting; });
        }
    }

  private:
    const uint32_t threads_;
    std::mutex guard_;
    std::condition_variable over_;
    uint32_t arrived_ = 0;
    uint64_t meetings_ = 0;
};

class LiveMachine final : public Machine {
  public:
    LiveMachine(uint64_t seed, uint32_t actor, uint8_t* memory, uint64_t flag_base, Meeting* meeting)
        : seed_(seed), prng_(seed * 100 + actor), memory_(memory), flag_base_(flag_base), meeting_(meeting) {}

    void load(uint64_t at, void* to, uint32_t bytes) override {
        switch (at % bytes == 0 ? bytes : 0) {
            case 2:
                load_one<uint16_t>(at, to);
                break;
            case 4:
                load_one<uint32_t>(at, to);
                break;
            case 8:
                load_one<uint64_t>(at, to);
                break;
            default:
                std::memcpy(to, memory_ + at, bytes);
        }
    }
    void store(uint64_t at, const void* from, uint32_t bytes) override {
        switch (at % bytes == 0 ? bytes : 0) {
            case 2:
                store_one<uint16_t>(at, from);
                break;
            case 4:
                store_one<uint32_t>(at, from);
                break;
            case 8:
                store_one<uint64_t>(at, from);
                break;
            default:
                std::memcpy(memory_ + at, from, bytes);
        }
    }
    void prefetch(uint64_t at, uint64_t bytes, bool write) override {
        CHECK_OK(syncline_dsm_prefetch(memory_ + at, bytes, write ? 1 : 0));
    }
    void lock(uint32_t lock) override { CHECK_OK(syncline_dsm_lock(lock)); }
    bool try_lock(uint32_t lock) override {
        const int status = syncline_dsm_try_lock(lock);
        CHECK_THAT(status == SYNCLINE_OK || status == SYNCLINE_ERR_BUSY, "{}", status);
        return status == SYNCLINE_OK;
    }
    void unlock(uint32_t lock) override { CHECK_OK(syncline_dsm_unlock(lock)); }
    void wait(uint32_t condition, uint32_t lock) override { CHECK_OK(syncline_dsm_cond_wait(condition, lock)); }
    void signal(uint32_t condition) override { CHECK_OK(syncline_dsm_cond_signal(condition)); }
    void broadcast(uint32_t condition) override { CHECK_OK(syncline_dsm_cond_broadcast(condition)); }
    void set_flag(uint32_t flag, uint64_t value) override { CHECK_OK(syncline_dsm_flag_set(flag, flag_base_ + value)); }
    uint64_t wait_for_flag(uint32_t flag, uint64_t value) override {
        uint64_t seen = 0;
        CHECK_OK(syncline_dsm_flag_wait(flag, flag_base_ + value, &seen));
        return seen - flag_base_;
    }
    void barrier() override { meeting_->arrive(); }
    void compute() override {
        if (prng_.below(4) == 0) {
            ::usleep(static_cast<useconds_t>(prng_.below(300)));
        } else {
            for (uint64_t turn = prng_.below(10'000); turn > 0; turn--) {
                __asm__ volatile("");
            }
        }
    }
    // No process sees what all do; the versions of variables are compared at the end.
    void found(uint32_t, uint64_t) override {}
    void writes(uint32_t, uint64_t) override {}
    [[noreturn]] void wrong(const std::string& what) override {
        fail("random.cpp", 0, fmt::format("{}; replay with SYNCLINE_SEED={}", what, seed_));
    }

  private:
    template <typename T>
    void load_one(uint64_t at, void* to) const {
        const T value = *reinterpret_cast<const volatile T*>(memory_ + at);
        std::memcpy(to, &value, sizeof(value));
    }
    template <typename T>
    void store_one(uint64_t at, const void* from) const {
        T value;
        std::memcpy(&value, from, sizeof(value));
        *reinterpret_cast<volatile T*>(memory_ + at) = value;
    }

    const uint64_t seed_;
    Prng prng_;
    uint8_t* const memory_;
    const uint64_t flag_base_;
    Meeting* const meeting_;
};

void run_seed(uint64_t seed, uint64_t number) {
    Prng prng(seed * 17);
    const uint64_t pages = prng.below(3) == 0 ? 30 + prng.below(60) : 4 + prng.below(12);
    const auto threads = static_cast<uint32_t>(1 + prng.below(3));
    const auto processes = static_cast<uint32_t>(size());
    const int homes = static_cast<int>(prng.below(4));
    const Program program(seed, {.actors = processes * threads,
                                 .bytes = pages * page_bytes,
                                 .locks = static_cast<uint32_t>(2 + prng.below(5)),
                                 .phases = static_cast<uint32_t>(1 + prng.below(5)),
                                 .moves = static_cast<uint32_t>(20 + prng.below(100))});
    void* const memory = syncline_dsm_alloc(pages * page_bytes, homes);
    CHECK_THAT(memory != nullptr, "{}", syncline_last_error());
    Meeting meeting(threads);
    const auto act = [&](uint32_t thread) {
        const uint32_t actor = static_cast<uint32_t>(me()) + thread * processes;
        LiveMachine machine(seed, actor, static_cast<uint8_t*>(memory), number * values_of_a_seed, &meeting);
        Actor(&program, actor, &machine).run();
    };
    std::vector<std::thread> others;
    for (uint32_t thread = 1; thread < threads; thread++) {
        others.emplace_back(act, thread);
    }
    act(0);
    for (std::thread& other : others) {
        other.join();
    }
}

uint64_t number_of(const char* name, uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 0) : otherwise;
}

}  // namespace
}  // namespace dsm_live

// Some fixed seeds, and then fresh ones, unless the environment says which. Memory that had another owner is not zero,
// so no seed gives its own back.
void run_random() {
    using namespace dsm_live;
    const bool are_named = std::getenv("SYNCLINE_SEED") != nullptr || std::getenv("SYNCLINE_SEEDS") != nullptr;
    const uint64_t first = number_of("SYNCLINE_SEED", 1);
    const uint64_t count = number_of("SYNCLINE_SEEDS", are_named ? 1 : 6);
    for (uint64_t i = 0; i < count; i++) {
        run_seed(first + i, i);
    }
    uint64_t fresh = std::random_device()() | uint64_t{1} << 32;
    CHECK_OK(syncline_dsm_broadcast(0, &fresh, sizeof(fresh)));
    for (uint64_t i = 0; i < 2 && !are_named; i++) {
        if (me() == 0) {
            std::printf("fresh seed: SYNCLINE_SEED=%lu\n", fresh + i);
            std::fflush(stdout);
        }
        run_seed(fresh + i, count + i);
    }
}
