// SPDX-License-Identifier: BSD-3-Clause
// The sentence behind the last failed call of a thread.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "runtime/process/call.h"

namespace syncline {

// The bare sentence, to be part of another one; and behind the call that the user made, to be read.
std::string& last_sentence();
const std::string& last_error_text();

// Keeps the sentence and the call that the thread is in, and returns the status. Only failing calls come here, so it
// may take its time.
int keep_error(int status, std::string words);

template <typename... Args>
int error(int status, fmt::format_string<Args...> format, Args&&... args) {
    return keep_error(status, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace syncline
