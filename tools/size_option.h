// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace syncline::tools {

// Bytes of "64MiB", "64m" or "67108864"; throws Failure, which names the option.
uint64_t parse_size(const char* option, const std::string& text);

}  // namespace syncline::tools
