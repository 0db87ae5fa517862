// SPDX-License-Identifier: BSD-3-Clause
// How deep the tables of a TOML file may lie in each other. The parser makes a table for each part of a dotted key and
// gives them back by recursion, so a key of 50,000 parts takes more stack than a process has.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace syncline {

constexpr size_t toml_parts_max = 32;  // of a key; a file of ours has keys of two

// The line, from 1 on, of the first key with more parts than that. Text in quotes and comments count for nothing.
std::optional<size_t> line_of_deep_key(std::string_view toml);

}  // namespace syncline
