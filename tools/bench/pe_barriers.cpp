// SPDX-License-Identifier: BSD-3-Clause
// Barriers one after the other (paper 004, section 6).
#include <algorithm>
#include <numeric>

#include "base/clock.h"
#include "tools/bench/pe.h"

namespace syncline::bench {

Outcome meet(const Command& command) {
    std::vector<int> ranks(command.target);
    std::iota(ranks.begin(), ranks.end(), 0);
    const syncline_barrier_options_t options = {sizeof(options), static_cast<int>(command.bytes),
                                                static_cast<uint32_t>(command.seed),
                                                command.bare != 0 ? uint32_t{SYNCLINE_BARRIER_BY_HOST} : 0};
    syncline_barrier_t barrier = nullptr;
    Outcome outcome;
    outcome.samples.resize(command.count);
    must(syncline_barrier_open(1, ranks.data(), static_cast<int>(ranks.size()), &options, &barrier));
    const uint64_t warm_up = 10 + command.count / 10;
    uint64_t start = now_ns();
    uint64_t before = start;
    for (uint64_t i = 0; i < warm_up + command.count; i++) {
        must(syncline_barrier_start(barrier));
        must(syncline_barrier_wait(barrier));
        const uint64_t now = now_ns();
        if (i < warm_up) {
            start = now;
        } else {
            outcome.samples[i - warm_up] = static_cast<uint32_t>(std::min<uint64_t>(now - before, UINT32_MAX));
        }
        before = now;
    }
    outcome.elapsed_ns = before - start;
    outcome.operations = command.count;
    must(syncline_barrier_close(barrier));
    return outcome;
}

}  // namespace syncline::bench
