// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/process/error_text.h"

namespace syncline {

constinit thread_local const char* current_call = nullptr;

namespace {
thread_local std::string sentence;
thread_local std::string last_text;
}  // namespace

std::string& last_sentence() {
    return sentence;
}

const std::string& last_error_text() {
    return last_text;
}

int keep_error(int status, std::string words) {
    sentence = std::move(words);
    last_text = current_call != nullptr ? fmt::format("{}: {}", current_call, sentence) : sentence;
    return status;
}

}  // namespace syncline
