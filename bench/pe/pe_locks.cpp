// SPDX-License-Identifier: BSD-3-Clause
// Acquiring and releasing a lock again and again, alone or against other PEs.
#include <unistd.h>

#include "base/clock.h"
#include "bench/pe/pe.h"

namespace syncline::bench {
namespace {

constexpr uint64_t gate_offset = 128;  // of Pe::word, at the home: how many have come so far
syncline_lock_t* lock = nullptr;

}  // namespace

void pass_gate(const Pe& pe, int home, uint64_t expected) {
    uint64_t here = 0;
    must(syncline_fetch_add64(home, pe.word + gate_offset, 1, &here));
    while (here < expected) {
        usleep(20);
        must(syncline_get(home, pe.word + gate_offset, &here, sizeof(here)));
    }
}

Outcome make_lock(const Command& command) {
    must(syncline_lock_create(command.lock_kind, static_cast<int>(command.target), &lock));
    return {};
}

Outcome destroy_lock() {
    must(syncline_lock_destroy(lock));
    lock = nullptr;
    return {};
}

Outcome contend(const Pe& pe, const Command& command) {
    Outcome outcome;
    outcome.samples.resize(command.count * 2);
    syncline_lock_counts_t before = {};
    syncline_lock_counts_t after = {};
    must(syncline_lock_get_counts(lock, &before));
    pass_gate(pe, static_cast<int>(command.target), command.gate);
    const uint64_t start = now_ns();
    uint64_t begun = start;
    for (uint64_t i = 0; i < command.count; i++) {
        must(syncline_lock_acquire(lock));
        const uint64_t acquired = now_ns();
        must(syncline_lock_release(lock));
        const uint64_t released = now_ns();
        outcome.samples[2 * i] = sample(begun, acquired);
        outcome.samples[2 * i + 1] = sample(acquired, released);
        begun = released;
    }
    must(syncline_lock_get_counts(lock, &after));
    outcome.elapsed_ns = begun - start;
    outcome.operations = command.count;
    outcome.value = after.requests - before.requests;
    return outcome;
}

}  // namespace syncline::bench
