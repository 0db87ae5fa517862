// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/lock/mcs_lock.h"

namespace syncline {

namespace {
constexpr uint64_t look_again_ns = 20 * ns_per_us;  // between two looks at the link of an abandoned place
}

uint32_t McsLock::own_next() const {
    return __atomic_load_n(words_.own32(base_ + LockLayout::link), __ATOMIC_ACQUIRE);
}

void McsLock::prepare(State state) {
    __atomic_store_n(words_.own(at(LockLayout::link)), uint64_t{state} << 32, __ATOMIC_RELEASE);
}

int McsLock::join(uint64_t deadline_ns) {
    prepare(kWaiting);
    uint64_t before = 0;
    if (const int status = words_.swap(home_, at(LockLayout::tail), own_id(), &before); status != SYNCLINE_OK) {
        return broken_by(status);
    }
    if ((before & tail_broken) != 0) {
        return break_lock();
    }
    if (before == 0) {
        set_state(kGranted);
        return SYNCLINE_OK;
    }
    const int predecessor = static_cast<int>(before) - 1;
    const auto link = static_cast<uint32_t>(own_id()) | (deadline_ns != no_deadline ? timed_bit : 0);
    if (const int status = words_.put32(predecessor, at(LockLayout::link), link); status != SYNCLINE_OK) {
        return broken_by(status);
    }
    return wait_for_grant(predecessor, deadline_ns);
}

int McsLock::try_join() {
    prepare(kGranted);
    uint64_t before = 0;
    const int status = words_.compare_swap(home_, at(LockLayout::tail), 0, own_id(), &before);
    if (status != SYNCLINE_OK || before == 0) {
        return status == SYNCLINE_OK ? status : broken_by(status);
    }
    if ((before & tail_broken) != 0 || watch_.found_dead(static_cast<int>(before) - 1, at(LockLayout::gone))) {
        return break_lock();
    }
    return SYNCLINE_ERR_BUSY;
}

int McsLock::next_of(int rank, uint64_t id, Successor* successor) {
    uint32_t next = 0;
    if (const int status = link_of(rank, &next); status != SYNCLINE_OK) {
        return status;
    }
    if (next == 0) {
        uint64_t before = 0;
        const int status = words_.compare_swap(home_, at(LockLayout::tail), id, 0, &before);
        if (status != SYNCLINE_OK || (before & ~tail_broken) == id) {
            return status;  // no PE waits
        }
        if (const int found = await_link(rank, &next); found != SYNCLINE_OK) {
            return found;
        }
    }
    const uint64_t found = next & ~timed_bit;
    *successor = {static_cast<int>(found) - 1, (next & timed_bit) != 0, found};
    return SYNCLINE_OK;
}

int McsLock::link_of(int rank, uint32_t* next) {
    uint64_t word = own_next();
    if (rank != words_.rank()) {
        if (const int status = words_.get(rank, at(LockLayout::link), &word); status != SYNCLINE_OK) {
            return status;
        }
    }
    *next = static_cast<uint32_t>(word);
    return SYNCLINE_OK;
}

// The release race: a PE has swapped the tail, and its link is on the way, unless the PE died in between. If it died,
// one of three cases holds. It is the last in the queue. Or the PE behind it waits, and sets the home's `broken`. Or
// that PE has given up, and the PE that knows the last in the queue finds the dead one on the way back along the places
// that were given up.
Watch::Inspector McsLock::last_inspector() {
    return [this, walk = Watch::Inspector()](const Probe::Seen* seen) mutable -> Watch::Step {
        if (seen == nullptr) {
            walk = nullptr;
            return {Watch::Verdict::kLook, home_, at(LockLayout::tail)};
        }
        if (walk) {
            return walk(seen);
        }
        const int last = seen->status == SYNCLINE_OK ? static_cast<int>(seen->value & ~tail_broken) - 1 : -1;
        if (last < 0) {
            return {Watch::Verdict::kBroken};
        }
        walk = inspector(last);
        return walk(nullptr);
    };
}

int McsLock::await_link(int rank, uint32_t* next) {
    if (rank != words_.rank()) {
        return await_remote_link(rank, next);
    }
    const int status = watch_.wait([&] { return own_next() != 0; }, no_deadline, last_inspector());
    *next = own_next();
    return status;
}

// Passes a place whose owner has given up. The link of that place is the only word that a PE polls remotely, and only
// while a successor is between its swap and its put.
int McsLock::await_remote_link(int rank, uint32_t* next) {
    for (uint64_t inspect_at = now_ns() + Watch::patience_ns;;) {
        if (const int paused = words_.pause(look_again_ns); paused != SYNCLINE_OK) {
            return paused;
        }
        if (const int found = link_of(rank, next); found != SYNCLINE_OK || *next != 0) {
            return found;
        }
        if (now_ns() >= inspect_at) {
            if (watch_.finds_broken(last_inspector())) {
                return SYNCLINE_ERR_BROKEN;
            }
            inspect_at = now_ns() + Watch::patience_ns;
        }
    }
}

bool McsLock::free_past(const Successor& gone, uint64_t) {
    uint64_t before = 0;
    return words_.compare_swap(home_, at(LockLayout::tail), gone.id, 0, &before) == SYNCLINE_OK && before == gone.id;
}

}  // namespace syncline
