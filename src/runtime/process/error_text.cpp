// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/process/error_text.h"

namespace syncline {

thread_local const char* current_call = nullptr;

std::string& last_error_text() {
    static thread_local std::string text;
    return text;
}

}  // namespace syncline
