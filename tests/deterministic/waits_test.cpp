// SPDX-License-Identifier: BSD-3-Clause
// Method: a request is lost while its PE waits again and again for no longer than a moment, as for a lock whose holder
// is of its node. There is no daemon's timer here: the waits have to send the request again themselves.
#include <gtest/gtest.h>

#include "runtime/collective/job_barrier.h"
#include "tests/deterministic/world.h"

namespace syncline::deterministic {
namespace {

constexpr syncline_address_t waits_word = heap_reserved_bytes;
constexpr uint64_t waits_time_limit_ns = 60 * ns_per_s;

// Until the word of PE 1 has changed, or so long.
uint64_t wait_in_moments(World* world, Endpoint* endpoint, uint64_t moment_ns) {
    const uint64_t begun = now_ns();
    while (world->peek(1, waits_word) == 0 && now_ns() - begun < ns_per_s) {
        (void)endpoint->waiting().wait_for([] { return false; }, now_ns() + moment_ns);
    }
    return now_ns() - begun;
}

TEST(Waits, OfAMomentSendAgainWhatWasLost) {
    for (const uint64_t moment_ns : {uint64_t{0}, 2 * ns_per_us, 100 * ns_per_us, 5 * ns_per_ms}) {
        for (const int mode : {SYNCLINE_WAIT_POLL, SYNCLINE_WAIT_BLOCK}) {
            WorldOptions options;
            options.ports = {1, 1};
            options.endpoint.wait_mode = mode;
            World world(1, options);
            uint64_t waited = 0;
            EXPECT_TRUE(world.run(
                [&](Endpoint* endpoint) {
                    if (endpoint->rank() == 0) {
                        world.cut(1, true);
                        world.scheduler().at(world.scheduler().now() + ns_per_ms, [&] { world.cut(1, false); });
                        EXPECT_EQ(endpoint->posting().post_word(SYNCLINE_SWAP | SYNCLINE_64, 1, waits_word, 1),
                                  SYNCLINE_OK);
                        waited = wait_in_moments(&world, endpoint, moment_ns);
                    }
                    EXPECT_EQ(JobBarrier(endpoint).run(), SYNCLINE_OK);
                    EXPECT_EQ(endpoint->posting().quiet(), SYNCLINE_OK);
                },
                waits_time_limit_ns));
            EXPECT_LT(waited, 30 * ns_per_ms) << "waits of " << moment_ns << " ns, mode " << mode;
        }
    }
}

}  // namespace
}  // namespace syncline::deterministic
