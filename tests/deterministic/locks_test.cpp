// SPDX-License-Identifier: BSD-3-Clause
// Method: a deterministic simulation of the locks. The library from the Endpoint upwards, and the native firmware, of 1
// to 4 nodes with 1 to 5 PEs each, over a network that loses, repeats, delays and so reorders packets, in virtual time;
// who goes on when is drawn from the seed as well. In half of the seeds a PE dies at any step, or its node does or
// falls silent, for good or for a while, or the PE is stopped; some victims do not use the lock. Locks are destroyed
// and created again in the same words. Checked: referee.h.
//
// Which seeds are run, and how to replay one: tests/seeds.h.
#include "tests/deterministic/lock_run.h"

#include "base/clock.h"
#include "tests/seeds.h"

namespace syncline::deterministic {
namespace {

constexpr uint64_t lock_seeds = 5 * DETERMINISTIC_SEEDS / 2;  // of each kind; fewer leave out a role

class Locks : public testing::TestWithParam<int> {
  protected:
    LockKind kind() const { return static_cast<LockKind>(GetParam()); }
};

TEST_P(Locks, KeepsItsPromisesOnEverySeed) {
    LockOutcome sum;
    uint64_t faults = 0;
    uint64_t broken = 0;
    Coverage struck;
    for_each_seed(lock_seeds, lock_seeds / 10, [&](uint64_t seed) {
        const LockOutcome run = run_locks(seed, kind());
        sum.grants += run.grants;
        sum.packets += run.packets;
        sum.virtual_ns += run.virtual_ns;
        sum.slowest_answer_ns = std::max(sum.slowest_answer_ns, run.slowest_answer_ns);
        faults += run.fault;
        broken += run.broken;
        if (seed <= lock_seeds || are_seeds_named()) {
            struck.note(run.struck);
        }
        return run.wrong;
    });
    printf(
        "%s: %lu grants, %lu packets, %lu s of virtual time, %lu faults, %lu of which may break the lock; that it is "
        "broken is known after %lu ms at most\n",
        lock_names[GetParam()], sum.grants, sum.packets, sum.virtual_ns / ns_per_s, faults, broken,
        sum.slowest_answer_ns / ns_per_ms);
    struck.report(lock_faults(kind()));
}

TEST_P(Locks, ASeedIsARun) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        const LockOutcome first = run_locks(seed, kind());
        const LockOutcome second = run_locks(seed, kind());
        ASSERT_EQ(first.digest, second.digest) << "seed " << seed;
    }
}

// Broken on purpose: without the table of results a repeated request is executed again.
TEST_P(Locks, FindsNicsThatForget) {
    uint64_t found = 0;
    for (uint64_t seed = 1; seed <= 100 && found == 0; seed++) {
        found += run_locks(seed, kind(), true).wrong.empty() ? 0 : 1;
    }
    EXPECT_GT(found, 0u);
}

INSTANTIATE_TEST_SUITE_P(Locks, Locks, testing::Range(0, lock_kinds),
                         [](const auto& kind) { return std::string(lock_names[kind.param]); });

}  // namespace
}  // namespace syncline::deterministic
