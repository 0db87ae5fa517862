// SPDX-License-Identifier: BSD-3-Clause
// A text that grows: what the tables are made of.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <utility>

namespace syncline::bench {

using Text = fmt::memory_buffer;

template <typename... Args>
void add(Text* text, fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(*text), format, std::forward<Args>(args)...);
}

}  // namespace syncline::bench
