// SPDX-License-Identifier: (BSD-3-Clause OR GPL-2.0-only)
// The seeded numbers of the switch program: splitmix64, as base/prng.h has it.
#pragma once

#include <bpf/bpf_helpers.h>

static __always_inline __u64 mix(__u64 z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

static __always_inline __u64 draw(__u64* state) {
    *state += 0x9E3779B97F4A7C15ull;
    return mix(*state);
}

static __always_inline int chance(__u64* state, __u64 rate) {
    return (draw(state) >> 32) < rate;
}
