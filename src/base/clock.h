// SPDX-License-Identifier: BSD-3-Clause
// Monotonic time in nanoseconds.
#pragma once

#include <cstdint>

namespace syncline {

uint64_t now_ns();  // os.cpp defines it: the time is part of the seam that base/os.h describes

constexpr uint64_t ns_per_us = 1'000;
constexpr uint64_t ns_per_ms = 1'000'000;
constexpr uint64_t ns_per_s = 1'000'000'000;

}  // namespace syncline
