// SPDX-License-Identifier: BSD-3-Clause
// The message of the last failed call of a thread.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "runtime/ground/call.h"

namespace syncline {

// last_sentence() is the bare message, to be part of another one; last_error_text() has the user's call in front.
std::string& last_sentence();
const std::string& last_error_text();

// Keeps the message and the call that the thread is in, and returns the status. Only failing calls come here, so it
// need not be quick.
int keep_error(int status, std::string words);

template <typename... Args>
int error(int status, fmt::format_string<Args...> format, Args&&... args) {
    return keep_error(status, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace syncline
