// SPDX-License-Identifier: BSD-3-Clause
// The frame of every call of the C API: is there a job, and nothing is thrown to the caller.
#pragma once

#include <string_view>

#include "api/native/process.h"
#include "base/failure.h"
#include "runtime/process/error_text.h"

namespace syncline {

// Made by syncline_init(), taken away by syncline_finalize().
inline Process* process = nullptr;
inline bool finalized = false;
// This process is a child that a PE made by fork(), and this is the PE's state: the library refuses every call here.
inline Process* parents = nullptr;

inline int not_initialized(const char* what) {
    return error(SYNCLINE_ERR_NOT_INITIALIZED, "{}: {}", what,
                 parents != nullptr ? "fork() made this process of a PE; the library serves the PE itself only"
                 : finalized        ? "the job was finalized"
                                    : "call syncline_init() first");
}

// Keeps a failure's sentence, with the call in front where the sentence has none.
inline int failed(const char* what, const syncline::Failure& failure) {
    const std::string_view text = failure.what();
    return text.starts_with("syncline_") ? error(failure.status(), "{}", text)
                                         : error(failure.status(), "{}: {}", what, text);
}

// Runs `body` and turns what it throws into a status.
template <typename Body>
int guarded(const char* what, Body&& body) {
    if (process == nullptr) {
        return not_initialized(what);
    }
    try {
        return body();
    } catch (const syncline::Failure& failure) {
        return failed(what, failure);
    } catch (const std::exception& exception) {
        return error(SYNCLINE_ERR_NO_MEMORY, "{}: {}", what, exception.what());
    }
}

}  // namespace syncline
