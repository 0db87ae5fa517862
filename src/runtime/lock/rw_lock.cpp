// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/lock/rw_lock.h"

#include <algorithm>
#include <ranges>

#include "base/check.h"

namespace syncline {

thread_local bool RwLock::reader_ = false;

int RwLock::break_lock() {
    broken_ = true;
    return turnstile_.break_lock();
}

// A writer holds the turnstile and has marked the word; no reader is in. A reader is counted, and no writer is in.
void RwLock::check_entered() const {
    SYNCLINE_ASSERT(reading_ != turnstile_.held(), "reading %d, turnstile held %d", reading_, turnstile_.held());
#ifdef SYNCLINE_CHECKS
    SYNCLINE_CHECK(!reading_ || own() == 1, "own word %lu", own());
    if (const uint64_t* const word = words_.mapped(home_, at(LockLayout::units)); word != nullptr) {
        const uint64_t now = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        SYNCLINE_CHECK_SHARED(!reading_ || (now & readers_mask) != 0, "%#lx", now);
        SYNCLINE_CHECK_SHARED(reading_ || now >> 32 == static_cast<uint64_t>(words_.rank()) + 1, "%#lx", now);
    }
#endif
}

// Passes on the status of the turnstile: if the turnstile is broken, so is this lock.
int RwLock::through(int status) {
    broken_ = broken_ || status == SYNCLINE_ERR_BROKEN;
    return status;
}

int RwLock::enter(uint64_t deadline_ns) {
    reading_ = reader_;
    return reading_ ? enter_reading(deadline_ns) : enter_writing(deadline_ns);
}

int RwLock::count_reader(bool* in) {
    set_own(1);
    uint64_t before = 0;
    if (const int status = words_.fetch_add(home_, at(LockLayout::units), 1, &before); status != SYNCLINE_OK) {
        return broken_by(status);
    }
    SYNCLINE_CHECK_SHARED((before & readers_mask) < static_cast<uint64_t>(words_.size()), "%lu readers of %d PEs",
                          before & readers_mask, words_.size());
    writer_ = static_cast<int>(before >> 32) - 1;
    *in = writer_ < 0;
    return *in ? static_cast<int>(SYNCLINE_OK) : uncount_reader();
}

int RwLock::uncount_reader() {
    uint64_t before = 0;
    const int status = words_.fetch_add(home_, at(LockLayout::units), UINT64_MAX, &before);
    set_own(0);
    if (status != SYNCLINE_OK) {
        return broken_by(status);
    }
    SYNCLINE_CHECK_SHARED((before & readers_mask) != 0, "%#lx", before);
    const int writer = static_cast<int>(before >> 32) - 1;
    if (writer >= 0 && (before & readers_mask) == 1) {
        (void)words_.put(writer, at(LockLayout::notified), 1);  // if the writer is gone, the turnstile finds out
    }
    return SYNCLINE_OK;
}

int RwLock::enter_reading(uint64_t deadline_ns) {
    bool in = false;
    if (const int status = count_reader(&in); status != SYNCLINE_OK || in) {
        return status;
    }
    waited_++;
    if (const int status = turnstile_.acquire(deadline_ns); status != SYNCLINE_OK) {
        return through(status);
    }
    const int status = count_reader(&in);
    const int left = turnstile_.hand_over();
    if (status == SYNCLINE_OK && left != SYNCLINE_OK) {
        (void)uncount_reader();  // this reader is not in, so no writer may wait for it
        return through(left);
    }
    return status;
}

int RwLock::enter_writing(uint64_t deadline_ns) {
    if (const int status = turnstile_.acquire(deadline_ns); status != SYNCLINE_OK) {
        return through(status);
    }
    uint64_t before = 0;
    const uint64_t mark = static_cast<uint64_t>(words_.rank() + 1) << 32;
    if (const int status = words_.fetch_or(home_, at(LockLayout::units), mark, &before); status != SYNCLINE_OK) {
        return broken_by(status);
    }
    if ((before & readers_mask) == 0) {
        return SYNCLINE_OK;
    }
    waited_++;
    const int status = drain(deadline_ns);
    if (status == SYNCLINE_ERR_TIMEOUT) {
        const int stopped = stop_writing();
        return stopped == SYNCLINE_OK ? status : stopped;
    }
    return status;
}

// Waits until no reader is left.
int RwLock::drain(uint64_t deadline_ns) {
    uint64_t* const notified = words_.own(at(LockLayout::notified));
    for (uint64_t counted_before = 0;;) {
        __atomic_store_n(notified, 0, __ATOMIC_SEQ_CST);
        uint64_t word = 0;
        if (const int status = words_.get(home_, at(LockLayout::units), &word); status != SYNCLINE_OK) {
            return broken_by(status);
        }
        const uint64_t counted = word & readers_mask;
        if (counted == 0) {
            return SYNCLINE_OK;
        }
        if (counted == counted_before && readers_died(counted)) {
            return break_lock();
        }
        counted_before = counted;
        const auto told = [&] { return __atomic_load_n(notified, __ATOMIC_ACQUIRE) != 0; };
        const uint64_t patience = now_ns() + Watch::patience_ns;
        const int waited = words_.endpoint()->waiting().wait_for(told, std::min(deadline_ns, patience),
                                                                 {WaitFor::kLock, home_, base_});
        if (waited == SYNCLINE_ERR_NODE || (waited == SYNCLINE_ERR_TIMEOUT && now_ns() >= deadline_ns)) {
            return waited;
        }
        counted_before = waited == SYNCLINE_OK ? 0 : counted;
    }
}

bool RwLock::readers_died(uint64_t counted) {
    const Roll roll =
        call_roll(std::views::iota(0, words_.size()), LockLayout::own, [](uint64_t own) { return own != 0; });
    if (!roll.somebody_is_gone || roll.matching >= counted) {
        return broken_at_home();
    }
    uint64_t word = 0;  // readers that left during the roll call do not break the lock
    return words_.get(home_, at(LockLayout::units), &word) != SYNCLINE_OK || (word & readers_mask) >= counted;
}

int RwLock::try_enter() {
    reading_ = reader_;
    if (!reading_) {
        return try_writing();
    }
    bool in = false;
    const int status = count_reader(&in);
    if (status != SYNCLINE_OK || in) {
        return status;
    }
    return watch_.found_dead(writer_, at(LockLayout::gone)) ? break_lock() : static_cast<int>(SYNCLINE_ERR_BUSY);
}

int RwLock::try_writing() {
    if (const int status = turnstile_.try_acquire(); status != SYNCLINE_OK) {
        return through(status);
    }
    uint64_t found = 0;
    const uint64_t mark = static_cast<uint64_t>(words_.rank() + 1) << 32;
    const int status = words_.compare_swap(home_, at(LockLayout::units), 0, mark, &found);
    if (status != SYNCLINE_OK) {
        return broken_by(status);
    }
    if (found == 0) {
        return SYNCLINE_OK;
    }
    if (const uint64_t now = now_ns(); now >= next_roll_ns_) {
        next_roll_ns_ = now + Watch::patience_ns;
        if (readers_died(found & readers_mask)) {
            return break_lock();
        }
    }
    const int left = turnstile_.hand_over();
    return left == SYNCLINE_OK ? static_cast<int>(SYNCLINE_ERR_BUSY) : through(left);
}

int RwLock::stop_writing() {
    uint64_t before;
    const int status = words_.fetch_and(home_, at(LockLayout::units), readers_mask, &before);
    const int left = turnstile_.hand_over();
    return status == SYNCLINE_OK ? through(left) : broken_by(status);
}

int RwLock::leave() {
    SYNCLINE_ASSERT(reading_ || turnstile_.held(), "a writer without the turnstile");
    return reading_ ? uncount_reader() : stop_writing();
}

}  // namespace syncline
