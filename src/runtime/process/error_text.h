// SPDX-License-Identifier: BSD-3-Clause
// The sentence behind the last failed call of a thread.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

#include "runtime/process/call.h"

namespace syncline {

std::string& last_error_text();

// Keeps the sentence, behind the call that the user made, and returns the status. Only failing calls come here, so it
// may take its time.
template <typename... Args>
int error(int status, fmt::format_string<Args...> format, Args&&... args) {
    std::string text = current_call != nullptr ? std::string(current_call) + ": " : std::string();
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
    last_error_text() = std::move(text);
    return status;
}

}  // namespace syncline
