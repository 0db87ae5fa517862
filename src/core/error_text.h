// SPDX-License-Identifier: BSD-3-Clause
// The sentence behind the last failed call of a thread.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace syncline {

std::string& last_error_text();

// Keeps the sentence and returns the status. Only failing calls come here, so it may take its time.
template <typename... Args>
int error(int status, fmt::format_string<Args...> format, Args&&... args) {
    last_error_text() = fmt::format(format, std::forward<Args>(args)...);
    return status;
}

}  // namespace syncline
