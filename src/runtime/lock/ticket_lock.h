// SPDX-License-Identifier: BSD-3-Clause
// The ticket lock: a baseline. Waiters poll the home.
//
// Guarantee: mutual exclusion; first come, first served for acquire(). try_acquire() takes a ticket only if the ticket
// is served at once. An acquire with a deadline repeats try_acquire(), because a ticket cannot be given back; it is not
// fair.
//
// One word at the home: the upper half is the next ticket, the lower half the ticket that is served. A PE that takes a
// ticket learns both. Each half wraps by itself: the lower half is added to as a 32-bit word.
//
// `own`, at every PE, written by its owner only: kNone, kTaking (about to take one), else the ticket + kFirst.
//
// Messages: enter 1, and 1 for each look while the PE waits; between looks it pauses in proportion to its distance.
// Leave 1. All requests go to the home, so its NIC serves all the polling.
//
// Death: a waiter whose distance has not changed for Watch::patience_ns asks all PEs for `own`. If one is gone, and
// no PE that lives has the served ticket or is about to take one, then the lock is broken.
#pragma once

#include "runtime/lock/lock.h"

namespace syncline {

class TicketLock final : public Lock {
  public:
    using Lock::Lock;

  private:
    enum Own : uint64_t { kNone = 0, kTaking = 1, kFirst = 2 };

    int enter(uint64_t deadline_ns) override;
    int try_enter() override;
    int leave() override;
    void check_entered() const override;

    int await(uint32_t ticket, uint32_t serving);
    int check(uint32_t serving);
    uint64_t own() const { return __atomic_load_n(words_.own(at(LockLayout::own)), __ATOMIC_SEQ_CST); }
    void set_own(uint64_t value) { __atomic_store_n(words_.own(at(LockLayout::own)), value, __ATOMIC_SEQ_CST); }

    uint64_t next_check_ns_ = 0;
};

}  // namespace syncline
