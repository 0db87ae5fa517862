// SPDX-License-Identifier: BSD-3-Clause
// How much memory is left, for the launcher and the daemon, which promise it: they promise a heap when they make it,
// and processes take it page by page when they touch it. If it does not fit then, the kernel kills a process.
#pragma once

#include <cstdint>
#include <string>

namespace syncline {

struct MemoryLeft {
    uint64_t bytes = 0;
    std::string whose;  // "this machine", or the control group with the narrowest limit
};

// Returns the memory that this process and its children may still take: all memory that the machine has available, or
// less if the process or a control group above it, of either version, has a limit. `proc` is where /proc is mounted.
MemoryLeft memory_left(const std::string& proc = "/proc");

// Returns the part of it that may be promised. Page tables, packets and the programs' own data grow with that part and
// take the rest.
constexpr uint64_t promisable(uint64_t left) {
    return left / 4 * 3;
}

// Returns a text such as "1.5 GiB".
std::string format_bytes(uint64_t bytes);

}  // namespace syncline
