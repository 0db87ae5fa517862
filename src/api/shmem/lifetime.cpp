// SPDX-License-Identifier: BSD-3-Clause
#include "api/shmem/lifetime.h"

#include "api/native/guard.h"
#include "api/shmem/runtime.h"
#include "runtime/process/error_text.h"
#include "syncline.h"

namespace syncline::shmem {
namespace {

bool attached_here = false;  // by join_job(), not by the program's own syncline_init()
Process* resting_process = nullptr;
Runtime* resting_runtime = nullptr;
uint32_t resting_view = 0;  // the ranks that inlined native calls see

void wake_process(const char* call) {
    try {
        resting_process->endpoint().attachment().rest(false);
    } catch (const Failure& failure) {
        die(call, failure.what());
    }
    process = std::exchange(resting_process, nullptr);
    finalized = false;
    syncline_view_.ranks = resting_view;
}

void rest_process(const char* call) {
    process->sync_.clear();
    try {
        process->endpoint().attachment().rest(true);
    } catch (const Failure& failure) {
        die(call, failure.what());
    }
    resting_view = std::exchange(syncline_view_.ranks, 0);
    resting_process = std::exchange(process, nullptr);
    finalized = true;
}

}  // namespace

void join_job(const char* call) {
    if (resting_process != nullptr) {
        wake_process(call);
    } else if (process == nullptr) {
        if (syncline_init(nullptr) != SYNCLINE_OK) {
            die(call, last_error_text());
        }
        attached_here = true;
    }
    process->user_ = "OpenSHMEM";
    runtime = std::exchange(resting_runtime, nullptr);
}

void leave_job(const char* call) {
    int status = process->barrier();
    if (const int late = process->endpoint().quiet(); status == SYNCLINE_OK) {
        status = late;
    }
    if (status != SYNCLINE_OK) {
        die(call, last_error_text());
    }
    process->user_ = nullptr;
    if (attached_here) {
        rest_process(call);
    }
    resting_runtime = std::exchange(runtime, nullptr);
}

void disown_resting_job() {
    if (resting_process != nullptr) {
        resting_process->endpoint().attachment().disown();
        parents = std::exchange(resting_process, nullptr);
        parents_runtime = std::exchange(resting_runtime, nullptr);
    }
}

void abort_resting(int status) {
    if (resting_process != nullptr) {
        resting_process->endpoint().attachment().abort_job(status);
    }
}

}  // namespace syncline::shmem
