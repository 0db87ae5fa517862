// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/lock/lock.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/status.h"
#include "runtime/ground/error_text.h"

namespace syncline {

namespace {
constexpr uint64_t calls_per_look = 256;  // calls between two looks at the daemon by a PE that never waits
}

// Returns the status that a call ends with, and remembers whether the daemon is gone.
int Lock::told(int status) {
    const int last = words_.last_word(status);
    without_daemon_ = without_daemon_ || last == SYNCLINE_ERR_NODE;
    return last;
}

int Lock::enter_as(Way way, uint64_t deadline_ns) {
    Use idle = Use::kIdle;
    if (!use_.compare_exchange_strong(idle, Use::kBusy, std::memory_order_acquire)) {
        return error(SYNCLINE_ERR_INVALID, "this PE already {} the lock; it belongs to the PE, not to a thread",
                     idle == Use::kHeld ? "holds" : "waits for");
    }
    if (way == Way::kWait) {
        note(TraceKind::kLockWanted);
    }
    const bool looks = ++calls_ % calls_per_look == 0;
    without_daemon_ = without_daemon_ || (looks && !words_.endpoint()->attachment().daemon_alive());
    const int status = told(without_daemon_     ? SYNCLINE_ERR_NODE
                            : broken_           ? SYNCLINE_ERR_BROKEN
                            : way == Way::kWait ? enter(deadline_ns)
                                                : try_once());
    SYNCLINE_CHECK_SHARED(status == SYNCLINE_OK || status == SYNCLINE_ERR_TIMEOUT || status == SYNCLINE_ERR_BROKEN ||
                              status == SYNCLINE_ERR_NODE || status == SYNCLINE_ERR_BUSY,
                          "entering ends with status %d", status);
    SYNCLINE_CHECK_SHARED(status != SYNCLINE_ERR_BUSY || way != Way::kWait, "a wait ends with status %d", status);
    SYNCLINE_ASSERT(status != SYNCLINE_OK || !broken_, "the lock at %#lx of PE %d is broken", base_, home_);
    SYNCLINE_ASSERT(use_.load(std::memory_order_relaxed) == Use::kBusy, "use %d",
                    static_cast<int>(use_.load(std::memory_order_relaxed)));
    if (status == SYNCLINE_OK) {
        check_entered();
    }
    acquired_ += status == SYNCLINE_OK ? 1 : 0;
    use_.store(status == SYNCLINE_OK ? Use::kHeld : Use::kIdle, std::memory_order_release);
    if (status == SYNCLINE_OK) {
        note(TraceKind::kLockHeld);
    }
    return status == SYNCLINE_OK
               ? status
               : error(status, "the lock at address {:#x} of PE {}: {}", base_, home_, status_text(status));
}

// A loop of tries learns that the lock is broken, as a wait does.
int Lock::try_once() {
    const int status = try_enter();
    const uint64_t now = status == SYNCLINE_ERR_BUSY ? now_ns() : 0;
    if (now < next_look_ns_ || now == 0) {
        return status;
    }
    const bool is_first = std::exchange(next_look_ns_, now + Watch::patience_ns) == 0;
    return !is_first && broken_at_home() ? break_lock() : status;
}

int Lock::acquire(uint64_t deadline_ns) {
    return enter_as(Way::kWait, deadline_ns);
}

int Lock::try_acquire() {
    return enter_as(Way::kTry, 0);
}

// Hands over even if an operation of the critical section has failed, because other PEs wait.
int Lock::release() {
    const int quiet = held() ? words_.endpoint()->posting().quiet() : static_cast<int>(SYNCLINE_OK);
    const std::string text = quiet != SYNCLINE_OK ? last_sentence() : "";
    const int status = give_back(quiet);
    return status != SYNCLINE_OK || quiet == SYNCLINE_OK ? status : error(quiet, "the lock is released; {}", text);
}

int Lock::give_back(int quiet) {
    Use held = Use::kHeld;
    if (!use_.compare_exchange_strong(held, Use::kBusy, std::memory_order_acquire)) {
        return error(SYNCLINE_ERR_INVALID, "this PE does not hold the lock at address {:#x} of PE {}", base_, home_);
    }
    note(TraceKind::kLockReleased);
    SYNCLINE_ASSERT(acquired_ != 0, "the lock at %#lx of PE %d", base_, home_);
    if (!broken_) {
        check_entered();
    }
    const int status = told(quiet == SYNCLINE_ERR_NODE ? quiet : leave());
    use_.store(Use::kIdle, std::memory_order_release);
    return status == SYNCLINE_OK
               ? status
               : error(status, "the lock at address {:#x} of PE {}: {}", base_, home_, status_text(status));
}

int Lock::try_until(uint64_t deadline_ns) {
    for (uint64_t pause = pause_ns;; pause = std::min(pause * 2, pause_ns_max)) {
        const int status = try_once();
        if (status != SYNCLINE_ERR_BUSY) {
            return status;
        }
        const uint64_t now = now_ns();
        if (now >= deadline_ns) {
            return SYNCLINE_ERR_TIMEOUT;
        }
        if (const int paused = words_.pause(std::min(pause, deadline_ns - now)); paused != SYNCLINE_OK) {
            return paused;
        }
    }
}

int Lock::break_lock() {
    broken_ = true;
    (void)words_.put(home_, at(LockLayout::broken), 1);
    return SYNCLINE_ERR_BROKEN;
}

bool Lock::broken_at_home() {
    uint64_t broken = 0;
    return words_.get(home_, at(LockLayout::broken), &broken) != SYNCLINE_OK || broken != 0;
}

}  // namespace syncline
