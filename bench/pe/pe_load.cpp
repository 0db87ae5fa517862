// SPDX-License-Identifier: BSD-3-Clause
// Loads beside the atomics: a PE that computes, the counter process of Buntinas 2002 (section V.C), and the PE that
// offers operations at some rate.
#include "base/clock.h"
#include "bench/pe/pe.h"

namespace syncline::bench {
namespace {

// A piece of computation that the compiler cannot remove and that touches no memory.
uint64_t work(uint64_t value) {
    for (int i = 0; i < 16; i++) {
        value = value * 6364136223846793005u + 1442695040888963407u;
    }
    return value;
}

}  // namespace

Outcome compute(const Pe& pe, const Command&) {
    Outcome outcome;
    const uint64_t start = now_ns();
    uint64_t look = start + look_interval_ns;
    for (;;) {
        outcome.value = work(outcome.value);
        outcome.operations++;
        if (const uint64_t now = now_ns(); now >= look) {
            outcome.elapsed_ns = now - start;
            look = now + look_interval_ns;
            if (pe.told()) {
                return outcome;
            }
        }
    }
}

Outcome count_iterations(const Pe&, const Command& command) {
    Outcome outcome;
    outcome.samples.assign(command.count, 0);
    const uint64_t start = now_ns();
    for (uint32_t& iterations : outcome.samples) {
        const uint64_t end = now_ns() + command.duration_ns;
        do {
            outcome.value = work(outcome.value);
            iterations++;
        } while (now_ns() < end);
        outcome.operations += iterations;
    }
    outcome.elapsed_ns = now_ns() - start;
    return outcome;
}

Outcome offer_load(const Pe& pe, const Command& command) {
    Outcome outcome;
    const auto target = static_cast<int>(command.target);
    const uint64_t start = now_ns();
    uint64_t look = start + look_interval_ns;
    for (uint64_t now = start;;) {
        uint64_t old;
        must(syncline_fetch_add64(target, pe.word, 1, &old));
        outcome.operations++;
        const uint64_t next = now_ns() + command.delay_ns;
        do {
            now = now_ns();
            if (now >= look) {
                outcome.elapsed_ns = now - start;
                look = now + look_interval_ns;
                if (pe.told()) {
                    return outcome;
                }
            }
        } while (now < next);
    }
}

}  // namespace syncline::bench
