// SPDX-License-Identifier: BSD-3-Clause
// "1 node", "2 nodes".
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace syncline {

inline std::string counted(uint64_t number, const char* one) {
    return fmt::format("{} {}{}", number, one, number == 1 ? "" : "s");
}

}  // namespace syncline
