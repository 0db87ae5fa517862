// SPDX-License-Identifier: BSD-3-Clause
// How much memory is left, for those who promise it: a heap is promised when it is made and taken page by page when it
// is touched. What does not fit then, the kernel gets back by killing a process.
#pragma once

#include <cstdint>
#include <string>

namespace syncline {

struct MemoryLeft {
    uint64_t bytes = 0;
    std::string whose;  // "this machine", or the control group whose limit is the narrowest
};

// What this process and those it starts may still take: what the machine has available, or less where the process or a
// control group above it, of either version, has a limit. `proc` is where /proc is mounted.
MemoryLeft memory_left(const std::string& proc = "/proc");

// How much of it may be promised. The rest is for what grows with it: page tables, packets, the programs' own data.
constexpr uint64_t promisable(uint64_t left) {
    return left / 4 * 3;
}

// "1.5 GiB"
std::string format_bytes(uint64_t bytes);

}  // namespace syncline
