// SPDX-License-Identifier: BSD-3-Clause
// Method: a deterministic simulation of the distributed shared memory. Random programs without data races
// (tests/dsm/program.h) run on the library from SharedMemory downwards, in 2 to 8 processes with up to 3 threads on 1
// to 8 nodes, over a network that loses, repeats, delays and so reorders packets, with few pages, few locks and short
// logs of write notices. A simulated view refuses each access without the right to it, and a page without right loses
// its bytes. Checked: each byte that a program reads, against its one possible value; what each process finds behind a
// lock, against what the last holder has left; no call says that shared memory is lost, and all programs end.
//
// Deaths: a process is killed at some step, or its node. Checked: every other process ends, and says that shared memory
// is lost; what it reads before that is right.
//
// Which seeds are run, and how to replay one: tests/seeds.h.
#include <gtest/gtest.h>

#include "tests/deterministic/dsm_run.h"

#include "base/clock.h"
#include "tests/seeds.h"

namespace syncline::deterministic {
namespace {

struct NamedProtocol {
    dsm::Protocol protocol;
    const char* name;
};
constexpr NamedProtocol dsm_protocols[] = {
    {dsm::Protocol::kNic, "nic"}, {dsm::Protocol::kArdmar, "ardmar"}, {dsm::Protocol::kAsync, "async"}};

constexpr uint64_t dsm_seeds = (DETERMINISTIC_SEEDS + 1) / 2;  // of each protocol; `make test-all` runs 2000

class SharedMemories : public testing::TestWithParam<NamedProtocol> {};

TEST_P(SharedMemories, KeepsItsPromisesOnEverySeed) {
    DsmOutcome sum;
    for_each_seed(dsm_seeds, dsm_seeds / 10, [&](uint64_t seed) {
        const DsmOutcome run = run_dsm(seed, GetParam().protocol, false);
        sum.packets += run.packets;
        sum.virtual_ns += run.virtual_ns;
        return run.wrong;
    });
    printf("%s: %lu packets, %lu s of virtual time\n", GetParam().name, sum.packets, sum.virtual_ns / ns_per_s);
}

TEST_P(SharedMemories, DeathsAreToldToAll) {
    Coverage struck;
    for_each_seed(dsm_seeds, dsm_seeds / 10, [&](uint64_t seed) {
        const DsmOutcome run = run_dsm(seed, GetParam().protocol, true);
        struck.note(run.reached);
        return run.wrong;
    });
    struck.report({});
}

TEST_P(SharedMemories, ASeedIsARun) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        ASSERT_EQ(run_dsm(seed, GetParam().protocol, false).digest, run_dsm(seed, GetParam().protocol, false).digest)
            << "seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Dsm, SharedMemories, testing::ValuesIn(dsm_protocols),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace syncline::deterministic
