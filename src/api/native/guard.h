// SPDX-License-Identifier: BSD-3-Clause
// The boundary of the C API: names the call, refuses it without a job, and turns exceptions into statuses, because no
// exception may reach the caller.
#pragma once

#include "base/failure.h"
#include "runtime/ground/error_text.h"
#include "runtime/process/lifetime.h"

namespace syncline {

[[gnu::noinline, gnu::cold]] inline int refuse_without_job() {
    return error(SYNCLINE_ERR_NOT_INITIALIZED, "{}",
                 lifetime() == Lifetime::kAbsent ? "call syncline_init() first" : why_absent());
}

template <typename Body>
int guarded(const char* call, Body&& body, Interruption interruptible = kNotInterruptible) {
    begin_call(call, interruptible);
    if (process == nullptr) {
        return refuse_without_job();
    }
    try {
        return body();
    } catch (const Failure& failure) {
        return error(failure.status(), "{}", failure.what());
    } catch (const std::exception& exception) {
        return error(SYNCLINE_ERR_NO_MEMORY, "{}", exception.what());
    }
}

// As guarded(), for a call whose waits the program may end.
template <typename Body>
int interruptibly(const char* call, Body&& body) {
    return guarded(call, body, kInterruptible);
}

}  // namespace syncline
