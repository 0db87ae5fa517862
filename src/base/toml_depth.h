// SPDX-License-Identifier: BSD-3-Clause
// The allowed depth of a TOML file's tables. The parser makes a table for each part of a dotted key and frees the
// tables by recursion, so a key of 50,000 parts takes more stack than a process has.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace syncline {

constexpr size_t toml_parts_max = 32;  // of a key; the keys of Syncline's files have two

// Returns the line, from 1 on, of the first key with more parts than that. Text in quotes and comments do not count.
std::optional<size_t> line_of_deep_key(std::string_view toml);

}  // namespace syncline
