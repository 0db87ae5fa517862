// SPDX-License-Identifier: BSD-3-Clause
#include "sync/mcs_lock.h"

namespace syncline {

namespace {
constexpr uint64_t look_again_ns = 20 * ns_per_us;  // at the link of an abandoned place
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
            return status;  // nobody waits
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

// The release race: somebody has swapped the tail, and its link is on the way, unless it died in between. Then it is
// the last in the queue, or somebody behind it finds it gone and says so at the home.
Watch::Inspector McsLock::last_inspector() {
    return [this, turn = 0](const Probe::Seen* seen) mutable -> Watch::Step {
        turn = seen == nullptr ? 0 : turn + 1;
        if (seen != nullptr && seen->status != SYNCLINE_OK) {
            return {Watch::Verdict::kBroken};
        }
        if (turn == 2) {
            const auto last = static_cast<int>(seen->value & ~tail_broken) - 1;
            return last >= 0 ? Watch::Step{Watch::Verdict::kLook, last, at(LockLayout::gone)}
                             : Watch::Step{Watch::Verdict::kBroken};
        }
        if (turn == 1 && seen->value != 0) {
            return {Watch::Verdict::kBroken};
        }
        return turn == 3
                   ? Watch::Step{Watch::Verdict::kHealthy}
                   : Watch::Step{Watch::Verdict::kLook, home_, at(turn == 0 ? LockLayout::broken : LockLayout::tail)};
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

// The same for a place whose owner has given up: the only thing that is polled remotely, and only while a successor
// is between its swap and its put.
int McsLock::await_remote_link(int rank, uint32_t* next) {
    for (;;) {
        const int status = watch_.wait([] { return false; }, now_ns() + look_again_ns, last_inspector());
        if (status != SYNCLINE_ERR_TIMEOUT) {
            return status;
        }
        if (const int found = link_of(rank, next); found != SYNCLINE_OK || *next != 0) {
            return found;
        }
    }
}

bool McsLock::free_past(const Successor& gone, uint64_t) {
    uint64_t before = 0;
    return words_.compare_swap(home_, at(LockLayout::tail), gone.id, 0, &before) == SYNCLINE_OK && before == gone.id;
}

}  // namespace syncline
