// SPDX-License-Identifier: BSD-3-Clause
// The options structures of the public headers, which grow at their end: docs/ABI.md. `struct_size` says how long the
// program's structure is. Members that a shorter one lacks are 0. A longer one comes from a program for a newer
// library, and the library takes it as long as the program sets no member that it does not know.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

namespace syncline {

// Returns why the options are refused, or "" and the options. NULL: none are set. `type` is their name in the header.
template <typename Options>
std::string take_options(const Options* given, const char* type, Options* options) {
    constexpr size_t size_max = 4096;
    *options = {};
    if (given == nullptr) {
        return "";
    }
    const size_t size = given->struct_size;
    if (size < sizeof(size_t) || size > size_max) {
        return fmt::format("set struct_size to sizeof({}), not {}", type, size);
    }
    std::memcpy(options, given, std::min(size, sizeof(Options)));
    const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
    if (size > sizeof(Options) &&
        std::any_of(bytes + sizeof(Options), bytes + size, [](auto byte) { return byte != 0; })) {
        return fmt::format("{} sets an option of a newer library than this one", type);
    }
    return "";
}

}  // namespace syncline
