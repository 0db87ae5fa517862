// SPDX-License-Identifier: BSD-3-Clause
// Barriers one after the other (Buntinas 2001, section 6).
#include <numeric>

#include "base/clock.h"
#include "bench/pe/pe.h"

namespace syncline::bench {

namespace {

constexpr size_t written_bytes = 256;

syncline_barrier_t open_among(uint32_t pes, int id, syncline_barrier_options_t options) {
    std::vector<int> ranks(pes);
    std::iota(ranks.begin(), ranks.end(), 0);
    options.struct_size = sizeof(options);
    syncline_barrier_t barrier = nullptr;
    must(syncline_barrier_open(id, ranks.data(), static_cast<int>(ranks.size()), &options, &barrier));
    return barrier;
}

syncline_barrier_options_t options_of(const Command& command) {
    return {0, command.barrier, command.dimension, command.by_host != 0 ? uint32_t{SYNCLINE_BARRIER_BY_HOST} : 0};
}

void ignore(uint64_t, int status, void*) {
    must(status);
}

}  // namespace

// Each PE writes to `targets` others, a barrier gathers all PEs so that no measurement includes the wait for a late
// one, and then the fence and barrier is timed (Buntinas 2003, section 4.1). Behind it comes another barrier: on shared
// CPUs the next writes of one PE would be in the times of those that have not noticed the end yet.
Outcome fence(const Pe& pe, const Command& command) {
    const syncline_barrier_t before = open_among(command.pes, 1, {});
    const syncline_barrier_t timed = open_among(command.pes, 2, options_of(command));
    const auto me = static_cast<uint32_t>(syncline_rank());
    const std::vector<uint8_t> data(written_bytes, static_cast<uint8_t>(me));
    const uint64_t warm_up = 10 + command.count / 10;
    Outcome outcome;
    for (uint64_t i = 0; i < warm_up + command.count; i++) {
        for (uint32_t next = 1; next <= command.targets; next++) {
            must(syncline_put_nb(static_cast<int>((me + next) % command.pes), pe.table + me * written_bytes,
                                 data.data(), data.size(), 0, nullptr));
        }
        must(syncline_barrier_start(before));
        must(syncline_barrier_wait(before));
        const uint64_t start = now_ns();
        must(syncline_fence_barrier(timed, command.fence));
        const uint64_t end = now_ns();
        while (syncline_poll(ignore, nullptr, 64) > 0) {
        }
        must(syncline_barrier_start(before));
        must(syncline_barrier_wait(before));
        if (i >= warm_up) {
            outcome.samples.push_back(sample(start, end));
            outcome.elapsed_ns += end - start;
        }
    }
    outcome.operations = command.count;
    must(syncline_quiet());
    must(syncline_barrier_close(timed));
    must(syncline_barrier_close(before));
    return outcome;
}

Outcome run_barriers(const Command& command) {
    const syncline_barrier_t barrier = open_among(command.pes, 1, options_of(command));
    Outcome outcome;
    outcome.samples.resize(command.count);
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
            outcome.samples[i - warm_up] = sample(before, now);
        }
        before = now;
    }
    outcome.elapsed_ns = before - start;
    outcome.operations = command.count;
    must(syncline_barrier_close(barrier));
    return outcome;
}

}  // namespace syncline::bench
