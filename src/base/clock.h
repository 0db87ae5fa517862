// SPDX-License-Identifier: BSD-3-Clause
// Monotonic time in nanoseconds.
#pragma once

#include <time.h>

#include <cstdint>

namespace syncline {

inline uint64_t now_ns() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(time.tv_nsec);
}

constexpr uint64_t ns_per_us = 1'000;
constexpr uint64_t ns_per_ms = 1'000'000;
constexpr uint64_t ns_per_s = 1'000'000'000;

}  // namespace syncline
