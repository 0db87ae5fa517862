// SPDX-License-Identifier: BSD-3-Clause
// The bounds of what `syncline perf` is asked for.
#pragma once

#include <cstdint>

namespace syncline::perf {

constexpr uint64_t bytes_max = 1ull << 30;  // of an operation
constexpr uint64_t iterations_max = 10'000'000;
constexpr uint32_t repeats_max = 100;
constexpr uint32_t window_max = 4096;

}  // namespace syncline::perf
