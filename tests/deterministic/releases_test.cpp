// SPDX-License-Identifier: BSD-3-Clause
// Method: a PE is killed in each step of its acquire in turn, between a PE that holds the lock and one that queues up
// behind it and gives up before it looks for dead PEs. So only the holder can find the death, in its release. With
// `remote`, the PE in front of the dead one has given up, too, and the holder acts for it. Checked: the holder's
// release ends, with or without an error; and the simulation reaches the case in which it has to be told.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/collective/job_barrier.h"
#include "tests/deterministic/any_lock.h"
#include "tests/deterministic/world.h"
#include "tests/seeds.h"

namespace syncline::deterministic {
namespace {

constexpr syncline_address_t released_lock_at = heap_reserved_bytes;
constexpr int released_home = 3;
constexpr uint64_t died_at_steps = 40;

struct Outcome {
    bool ended;
    int released;
};

class LockDeath : public testing::TestWithParam<int> {
  protected:
    Outcome run(uint64_t seed, bool remote);

  private:
    void act(Endpoint* endpoint, AnyLock* lock, uint64_t seed, bool remote, Outcome* outcome);
};

void LockDeath::act(Endpoint* endpoint, AnyLock* lock, uint64_t seed, bool remote, Outcome* outcome) {
    Scheduler& scheduler = *Scheduler::active();
    const uint64_t start = scheduler.now();
    const auto wait_until = [&](uint64_t us) { scheduler.compute(start + us * ns_per_us - scheduler.now()); };
    const auto in = [&](uint64_t us) { return scheduler.now() + us * ns_per_us; };
    switch (endpoint->rank()) {
        case 2:
            (void)lock->acquire(false, no_deadline);
            wait_until(5000);
            outcome->released = lock->release();
            break;
        case 0:
            wait_until(500);
            (void)(remote ? lock->acquire(false, in(500)) : SYNCLINE_OK);
            break;
        case 1:
            wait_until(1600);
            scheduler.at_step(1, scheduler.steps(1) + 1 + seed % died_at_steps, [] { World::active()->kill(1); });
            (void)lock->acquire(false, no_deadline);
            break;
        default:
            wait_until(1600 + scheduler.prng().below(60));
            (void)lock->acquire(false, in(500));
    }
}

Outcome LockDeath::run(uint64_t seed, bool remote) {
    WorldOptions options;
    options.ports = {1, 1, 1, 1};
    World world(seed, options);
    Outcome outcome = {false, SYNCLINE_OK};
    const auto program = [&](Endpoint* endpoint) {
        JobBarrier barrier(endpoint);
        AnyLock lock(static_cast<LockKind>(GetParam()), endpoint, released_lock_at, released_home, 1);
        (void)barrier.run();
        act(endpoint, &lock, seed, remote, &outcome);
        (void)barrier.run();
    };
    outcome.ended = world.run(program, 30 * ns_per_s);
    return outcome;
}

TEST_P(LockDeath, AReleaseEndsWhoeverDiesBehindIt) {
    constexpr uint64_t seeds = 4 * DETERMINISTIC_SEEDS / 5;
    uint64_t broken = 0;
    for_each_seed(seeds, seeds / 8, [&](uint64_t seed) -> std::string {
        for (const bool remote : {false, true}) {
            const Outcome outcome = run(seed, remote);
            if (!outcome.ended) {
                return remote ? "a remote release waits for ever" : "a release waits for ever";
            }
            broken += outcome.released != SYNCLINE_OK;
        }
        return "";
    });
    if (!are_seeds_named() && seeds >= 400) {
        EXPECT_GT(broken, 0u) << "no release was told that the lock is broken";
    }
}

// No other kind has a release that waits for a PE.
INSTANTIATE_TEST_SUITE_P(Locks, LockDeath, testing::Values(static_cast<int>(LockKind::kMcs)),
                         [](const auto& kind) { return std::string(lock_names[kind.param]); });

}  // namespace
}  // namespace syncline::deterministic
