// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/lock/semaphore.h"

#include <algorithm>

#include "base/check.h"
#include "base/status.h"
#include "runtime/ground/error_text.h"

namespace syncline {

void Semaphore::fill(int64_t units) {
    __atomic_store_n(words_.own(base_ + LockLayout::units), static_cast<uint64_t>(units), __ATOMIC_SEQ_CST);
}

int Semaphore::explain(int status) {
    const int last = words_.last_word(status);
    return error(last, "the semaphore at address {:#x} of PE {}: {}", base_, home_, status_text(last));
}

int Semaphore::acquire(uint64_t deadline_ns) {
    if (const int status = turnstile_.acquire(deadline_ns); status != SYNCLINE_OK) {
        return status;
    }
    int status = claim(deadline_ns);
    if (status == SYNCLINE_ERR_BROKEN || status == SYNCLINE_ERR_PEER) {
        status = turnstile_.break_lock();
    }
    SYNCLINE_ASSERT(turnstile_.held(), "the semaphore at %#lx of PE %d", base_, home_);
    const int left = turnstile_.hand_over();
    return status != SYNCLINE_OK ? explain(status) : left;
}

int Semaphore::claim(uint64_t deadline_ns) {
    uint64_t before = 0;
    const int status = words_.fetch_add(home_, base_ + LockLayout::units, UINT64_MAX, &before);
    return status != SYNCLINE_OK || static_cast<int64_t>(before) > 0 ? status : await_unit(deadline_ns);
}

int Semaphore::await_unit(uint64_t deadline_ns) {
    const auto me = static_cast<uint64_t>(words_.rank()) + 1;
    uint64_t* const notified = words_.own(base_ + LockLayout::notified);
    __atomic_store_n(notified, 0, __ATOMIC_SEQ_CST);
    uint64_t before = 0;
    if (const int status = words_.swap(home_, base_ + LockLayout::waiter, me, &before); status != SYNCLINE_OK) {
        return status;
    }
    for (;;) {
        uint64_t left = 0;
        if (const int status = words_.get(home_, base_ + LockLayout::units, &left); status != SYNCLINE_OK) {
            return status;
        }
        if (static_cast<int64_t>(left) >= 0) {
            return SYNCLINE_OK;
        }
        const auto told = [&] { return __atomic_load_n(notified, __ATOMIC_ACQUIRE) != 0; };
        const uint64_t patience = now_ns() + Watch::patience_ns;
        const int waited = words_.endpoint()->waiting().wait_for(told, std::min(deadline_ns, patience),
                                                                 {WaitFor::kSemaphore, home_, base_});
        if (waited == SYNCLINE_ERR_NODE) {
            return waited;
        }
        if (waited == SYNCLINE_ERR_TIMEOUT && now_ns() >= deadline_ns) {
            // Takes the claim back. If a unit had come meanwhile, this puts it back as well.
            const int status = words_.fetch_add(home_, base_ + LockLayout::units, 1, &before);
            return status == SYNCLINE_OK ? waited : status;
        }
        if (waited == SYNCLINE_ERR_TIMEOUT && somebody_died()) {
            return SYNCLINE_ERR_BROKEN;
        }
        __atomic_store_n(notified, 0, __ATOMIC_SEQ_CST);
    }
}

bool Semaphore::somebody_died() {
    uint64_t word = 0;
    for (int rank = 0; rank < words_.size(); rank++) {
        if (words_.get(rank, base_ + LockLayout::gone, &word) != SYNCLINE_OK) {
            return true;
        }
    }
    return false;
}

int Semaphore::take_if_left() {
    uint64_t left = 0;
    int status = words_.get(home_, base_ + LockLayout::units, &left);
    while (status == SYNCLINE_OK) {
        const uint64_t expected = left;
        if (static_cast<int64_t>(expected) <= 0) {
            return SYNCLINE_ERR_BUSY;
        }
        status = words_.compare_swap(home_, base_ + LockLayout::units, expected, expected - 1, &left);
        if (status == SYNCLINE_OK && left == expected) {
            return status;
        }
    }
    return status;
}

int Semaphore::try_acquire() {
    int status = take_if_left();
    if (status == SYNCLINE_ERR_PEER) {
        status = SYNCLINE_ERR_BROKEN;
    }
    return status == SYNCLINE_OK ? status : explain(status);
}

int Semaphore::release(uint32_t units) {
    const int quiet = words_.endpoint()->posting().quiet();
    const std::string text = quiet != SYNCLINE_OK ? last_sentence() : "";
    if (quiet == SYNCLINE_ERR_NODE) {
        return explain(quiet);
    }
    uint64_t before = 0;
    int status = words_.fetch_add(home_, base_ + LockLayout::units, units, &before);
    if (status == SYNCLINE_OK && static_cast<int64_t>(before) < 0) {
        uint64_t waiter = 0;
        status = words_.get(home_, base_ + LockLayout::waiter, &waiter);
        if (status == SYNCLINE_OK && waiter != 0) {
            (void)words_.put(static_cast<int>(waiter) - 1, base_ + LockLayout::notified, 1);
        }
    }
    if (status != SYNCLINE_OK) {
        return explain(status == SYNCLINE_ERR_PEER ? static_cast<int>(SYNCLINE_ERR_BROKEN) : status);
    }
    return quiet == SYNCLINE_OK ? quiet : error(quiet, "the units are released; {}", text);
}

}  // namespace syncline
