// SPDX-License-Identifier: BSD-3-Clause
// The object for which a caller waits: it counts the parts of operations that are under way, and keeps their first
// error.
//
// Fabrics raise it for each part that they start and lower it for each answer. Any number of fabrics and threads may do
// so at once. The caller owns it, and keeps it until is_over(), or until Fabric::forget() has returned.
//
// Shared words: `pending_` is lowered with release, behind the part's result and status; is_over() pairs with that by
// its acquire. The part that fails first writes `status_`, before it lowers `pending_`, so callers read it relaxed
// behind is_over(). While glibc says that there is only one thread, both are plain additions: a locked one costs as
// much as all else that a part does here. Once lower() has made `pending_` zero it does not touch a completion without
// a hook again, for the caller may have left it; one with a hook stays until the hook has been called.
#pragma once

#include <sys/single_threaded.h>

#include <atomic>
#include <cstdint>

#include "base/check.h"
#include "syncline.h"

namespace syncline {

class Completion {
  public:
    // Called by the thread that ends the last part, possibly under a fabric's lock: it may not call a fabric.
    using Hook = void (*)(Completion*);

    Completion() = default;
    Completion(const Completion&) = delete;
    Completion& operator=(const Completion&) = delete;

    // Makes a completion of which no part is under way a new one.
    void begin(Hook hook) {
        pending_.store(0, std::memory_order_relaxed);
        status_.store(SYNCLINE_OK, std::memory_order_relaxed);
        hook_ = hook;
    }

    bool is_over() const { return pending_.load(std::memory_order_acquire) == 0; }
    int status() const { return status_.load(std::memory_order_relaxed); }
    // Returns the first error since the last call.
    int take_status() {
        return status() == SYNCLINE_OK ? SYNCLINE_OK : status_.exchange(SYNCLINE_OK, std::memory_order_relaxed);
    }

    void raise() { (void)add(1, std::memory_order_relaxed); }
    void fail(int status) {
        int none = SYNCLINE_OK;
        (void)status_.compare_exchange_strong(none, status, std::memory_order_relaxed);
    }
    void lower(int status) {
        if (status != SYNCLINE_OK) {
            fail(status);
        }
        const Hook hook = hook_;
        const uint32_t before = add(UINT32_MAX, std::memory_order_acq_rel);
        SYNCLINE_ASSERT(before != 0, "status %d", status);
        if (before == 1 && hook != nullptr) {
            hook(this);
        }
    }

  private:
    // Returns the value before the addition.
    uint32_t add(uint32_t change, std::memory_order order) {
        if (__libc_single_threaded) {
            const uint32_t before = pending_.load(std::memory_order_relaxed);
            pending_.store(before + change, std::memory_order_relaxed);
            return before;
        }
        return pending_.fetch_add(change, order);
    }

    std::atomic<uint32_t> pending_{0};
    std::atomic<int> status_{SYNCLINE_OK};
    Hook hook_ = nullptr;
};

}  // namespace syncline
