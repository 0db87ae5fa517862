// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/lock/queue_lock.h"

#include "base/check.h"

namespace syncline {

namespace {
using Verdict = Watch::Verdict;
}

bool QueueLock::change_state(uint32_t from, uint32_t to) {
    return __atomic_compare_exchange_n(own_state(), &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

void QueueLock::check_entered() const {
    SYNCLINE_ASSERT(!abandoned_ && passed_.empty(), "abandoned %d, %zu places passed", abandoned_, passed_.size());
    SYNCLINE_CHECK_SHARED((state() & state_mask) == kGranted, "state %#x", state());
}

int QueueLock::break_lock() {
    set_state(kGone);
    __atomic_store_n(words_.own(at(LockLayout::gone)), 1, __ATOMIC_RELEASE);
    Lock::break_lock();
    uint64_t old;
    (void)words_.fetch_or(home_, at(LockLayout::tail), tail_broken, &old);
    return SYNCLINE_ERR_BROKEN;
}

// Looks at the home, then along the queue until it finds a living PE that is to act next.
Watch::Inspector QueueLock::inspector(int first) {
    struct Walk {
        enum { kHome, kGoneWord, kStateWord, kPasser } at;
        int rank;
        int hops;
    };
    return [this, first, walk = Walk{Walk::kHome, first, 0}](const Probe::Seen* seen) mutable -> Watch::Step {
        if (seen == nullptr) {
            walk = {Walk::kHome, first, 0};
            return {Verdict::kLook, home_, at(LockLayout::broken)};
        }
        if (seen->status != SYNCLINE_OK) {
            return {Verdict::kBroken};
        }
        if (walk.at == Walk::kPasser || (walk.at == Walk::kHome && seen->value == 0 && first < 0)) {
            return {Verdict::kHealthy};
        }
        if (walk.at == Walk::kHome || walk.at == Walk::kGoneWord) {
            const bool at_home = walk.at == Walk::kHome;
            walk.at = at_home ? Walk::kGoneWord : Walk::kStateWord;
            return seen->value != 0
                       ? Watch::Step{Verdict::kBroken}
                       : Watch::Step{Verdict::kLook, walk.rank, at(at_home ? LockLayout::gone : LockLayout::link)};
        }
        const auto state = static_cast<uint32_t>(seen->value >> 32);
        const int other = rank_of(state);
        const State kind = static_cast<State>(state & state_mask);
        if ((kind != kAbandoned && kind != kPassing) || other < 0 || other >= words_.size() ||
            ++walk.hops > words_.size()) {
            return {Verdict::kHealthy};
        }
        walk.at = kind == kPassing ? Walk::kPasser : Walk::kGoneWord;
        walk.rank = other;
        return {Verdict::kLook, other, at(LockLayout::gone)};
    };
}

int QueueLock::wait_for_grant(int predecessor, uint64_t deadline_ns) {
    SYNCLINE_CHECK_SHARED(predecessor != words_.rank(), "PE %d waits for itself", predecessor);
    predecessor_ = predecessor;
    waited_++;
    const uint32_t* const word = own_state();
    const auto is_granted = [&] { return (__atomic_load_n(word, __ATOMIC_ACQUIRE) & state_mask) == kGranted; };
    const int waited = watch_.wait(is_granted, deadline_ns, inspector(predecessor));
    if (waited == SYNCLINE_OK || waited == SYNCLINE_ERR_NODE) {
        return waited;
    }
    if (waited == SYNCLINE_ERR_TIMEOUT) {
        abandoned_ = change_state(kWaiting, with_rank(kAbandoned, predecessor));
        return abandoned_ ? waited : SYNCLINE_OK;  // false: the lock was granted at the last moment
    }
    return change_state(kWaiting, kGone) ? break_lock() : SYNCLINE_OK;
}

// An owner that has given up its place wants to enter again: it takes up the place, or waits until the queue has passed
// it.
int QueueLock::come_back(uint64_t deadline_ns, bool* in_queue) {
    *in_queue = change_state(with_rank(kAbandoned, predecessor_), kWaiting);
    if (*in_queue) {
        abandoned_ = false;
        return SYNCLINE_OK;
    }
    const uint32_t* const word = own_state();
    const uint32_t now = state();
    const int passer = (now & state_mask) == kPassing ? rank_of(now) : -1;
    const int waited =
        watch_.wait([&] { return __atomic_load_n(word, __ATOMIC_ACQUIRE) == kFree; }, deadline_ns, inspector(passer));
    abandoned_ = waited != SYNCLINE_OK;
    return waited == SYNCLINE_ERR_BROKEN ? break_lock() : waited;
}

int QueueLock::enter(uint64_t deadline_ns) {
    if (abandoned_) {
        bool in_queue = false;
        if (const int status = come_back(deadline_ns, &in_queue); status != SYNCLINE_OK) {
            return status;
        }
        if (in_queue) {
            return wait_for_grant(predecessor_, deadline_ns);
        }
    }
    return join(deadline_ns);
}

int QueueLock::try_enter() {
    if (abandoned_) {
        if (state() != kFree) {
            return SYNCLINE_ERR_BUSY;
        }
        abandoned_ = false;
    }
    return try_join();
}

// Returns OK if the successor has the lock, and _PEER if it is gone. With *passed, the successor has given up its
// place, and this releaser now acts for it.
int QueueLock::grant(const Successor& successor, bool* passed) {
    const uint32_t granted = with_rank(kGranted, words_.rank());
    *passed = false;
    if (!successor.timed) {
        return words_.put32(successor.rank, at(LockLayout::state), granted);
    }
    SYNCLINE_ASSERT(successor.rank >= 0, "no successor");
    for (uint32_t expected = kWaiting, wanted = granted;;) {
        uint32_t found = 0;
        if (const int status = words_.compare_swap32(successor.rank, at(LockLayout::state), expected, wanted, &found);
            status != SYNCLINE_OK) {
            return status;
        }
        if (found == expected) {
            *passed = wanted != granted;
            return SYNCLINE_OK;
        }
        if ((found & state_mask) == kAbandoned) {
            expected = found;
            wanted = with_rank(kPassing, words_.rank());
        } else if (found == kWaiting) {  // the successor has come back meanwhile
            expected = kWaiting;
            wanted = granted;
        } else {
            return SYNCLINE_ERR_BROKEN;
        }
    }
}

int QueueLock::leave() {
    int place = words_.rank();
    uint64_t place_id = own_id();
    int status = SYNCLINE_OK;
    for (bool passed = true; passed && status == SYNCLINE_OK;) {
        Successor successor;
        passed = false;
        status = next_of(place, place_id, &successor);
        if (status != SYNCLINE_OK || successor.rank < 0) {
            break;
        }
        status = grant(successor, &passed);
        if (passed) {
            SYNCLINE_ASSERT(successor.timed && successor.rank != words_.rank(), "PE %d, timed %d", successor.rank,
                            successor.timed);
            passed_.push_back(successor.rank);
            place = successor.rank;
            place_id = successor.id;
        } else if (status == SYNCLINE_ERR_PEER && surely_gone(successor.rank) && free_past(successor, place_id)) {
            status = SYNCLINE_OK;
        }
    }
    if (status != SYNCLINE_OK) {
        passed_.clear();  // the owners of these places find out that the lock is broken as all PEs do
        return broken_by(status);
    }
    set_state(kFree);
    for (const int rank : passed_) {
        (void)words_.put32(rank, at(LockLayout::state), kFree);
    }
    passed_.clear();
    return SYNCLINE_OK;
}

}  // namespace syncline
