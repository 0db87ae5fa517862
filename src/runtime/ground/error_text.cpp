// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/ground/error_text.h"

#include <utility>

#include "runtime/ground/own_trace.h"

namespace syncline {

constinit thread_local const char* current_call = nullptr;

namespace {

struct Texts {
    std::string sentence;
    std::string with_call;
};

// The program's handlers of atexit() and destructors of static objects may call the library after exit() has destroyed
// the thread_local objects of its thread. So this is a pointer, which needs no destructor: such a call makes new texts,
// and they stay until the process ends.
constinit thread_local Texts* own_texts = nullptr;

struct FreeTexts {
    ~FreeTexts() { delete std::exchange(own_texts, nullptr); }
};

Texts& texts() {
    if (own_texts == nullptr) {
        static thread_local const FreeTexts at_end_of_thread;
        (void)at_end_of_thread;
        own_texts = new Texts;
    }
    return *own_texts;
}

}  // namespace

std::string& last_sentence() {
    return texts().sentence;
}

const std::string& last_error_text() {
    return texts().with_call;
}

int keep_error(int status, std::string words) {
    Texts& kept = texts();
    note_failure(status);
    kept.sentence = std::move(words);
    kept.with_call = current_call != nullptr ? fmt::format("{}: {}", current_call, kept.sentence) : kept.sentence;
    return status;
}

}  // namespace syncline
