// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/lock/local_release_lock.h"

#include "base/check.h"

namespace syncline {

void LocalReleaseLock::take_other_node() {
    which_ ^= 1;
    __atomic_store_n(words_.own(at(LockLayout::node + which_ * 8)), empty, __ATOMIC_RELEASE);
    set_state(kWaiting);
}

// Swaps a node; one of this PE without a message, where a CPU may do that. Acquire-release: a PE that finds a value
// there sees the writes before it.
int LocalReleaseLock::swap_node(uint64_t id, uint64_t value, uint64_t* old) {
    const int rank = rank_of_node(id);
    if (rank == words_.rank() && words_.endpoint()->fabrics().cpu_may_change_words()) {
        *old = __atomic_exchange_n(words_.own(at(word_of_node(id))), value, __ATOMIC_SEQ_CST);
        return SYNCLINE_OK;
    }
    return words_.swap(rank, at(word_of_node(id)), value, old);
}

int LocalReleaseLock::join(uint64_t deadline_ns) {
    take_other_node();
    uint64_t before = 0;
    if (const int status = words_.swap(home_, at(LockLayout::tail), own_id(), &before); status != SYNCLINE_OK) {
        return broken_by(status);
    }
    return (before & tail_broken) != 0 ? break_lock() : queue_behind(before, deadline_ns);
}

int LocalReleaseLock::queue_behind(uint64_t before, uint64_t deadline_ns) {
    if (before == 0) {
        set_state(kGranted);
        return SYNCLINE_OK;
    }
    const uint64_t link = own_id() << 1 | (deadline_ns != no_deadline ? 1 : 0);
    uint64_t left = empty;
    if (const int status = swap_node(before, link, &left); status != SYNCLINE_OK) {
        return broken_by(status);
    }
    if ((left & released_bit) != 0) {
        set_state(with_rank(kGranted, static_cast<int>(left & ~released_bit)));
        SYNCLINE_CHECK_SHARED(last_holder() >= 0 && last_holder() < words_.size(), "PE %d held the lock before",
                              last_holder());
        return SYNCLINE_OK;
    }
    return left == empty ? wait_for_grant(rank_of_node(before), deadline_ns) : break_lock();
}

// Looks before it enters, because the tail alone does not say whether the lock is free. If another PE uses the last
// node again between the look and the compare&swap, this PE is in the queue after all, and gives up its place at once.
int LocalReleaseLock::try_join() {
    uint64_t before = 0;
    if (const int status = words_.get(home_, at(LockLayout::tail), &before); status != SYNCLINE_OK) {
        return broken_by(status);
    }
    if ((before & tail_broken) != 0) {
        return break_lock();
    }
    if (before != 0) {
        uint64_t node = 0;
        const int last = rank_of_node(before);
        if (const int status = words_.get(last, at(word_of_node(before)), &node); status != SYNCLINE_OK) {
            return broken_by(status);
        }
        if ((node & released_bit) == 0) {
            return SYNCLINE_ERR_BUSY;
        }
    }
    take_other_node();
    uint64_t found = 0;
    const int status = words_.compare_swap(home_, at(LockLayout::tail), before, own_id(), &found);
    if (status != SYNCLINE_OK) {
        return broken_by(status);
    }
    if (found != before) {
        which_ ^= 1;  // no PE has heard of that node
        set_state(kFree);
        return SYNCLINE_ERR_BUSY;
    }
    const int entered = queue_behind(before, now_ns());
    return entered == SYNCLINE_ERR_TIMEOUT ? static_cast<int>(SYNCLINE_ERR_BUSY) : entered;
}

int LocalReleaseLock::next_of(int, uint64_t id, Successor* successor) {
    uint64_t node = empty;
    if (const int status = swap_node(id, released_by(words_.rank()), &node); status != SYNCLINE_OK) {
        return status;
    }
    if (node != empty) {
        *successor = {rank_of_node(node >> 1), (node & 1) != 0, node >> 1};
    }
    return SYNCLINE_OK;
}

bool LocalReleaseLock::free_past(const Successor& gone, uint64_t place) {
    uint64_t before = 0;
    return words_.compare_swap(home_, at(LockLayout::tail), gone.id, place, &before) == SYNCLINE_OK &&
           before == gone.id;
}

}  // namespace syncline
