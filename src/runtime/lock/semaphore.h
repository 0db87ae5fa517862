// SPDX-License-Identifier: BSD-3-Clause
// A counting semaphore: an MCS lock as the turnstile, and a word that counts units.
//
// Guarantee: never more units are out than were put in; acquire() is first come, first served. try_acquire() takes a
// unit that no PE has claimed yet, ahead of the PEs in the turnstile.
//
// `units`, at the home: how many are left. -1: the PE in the turnstile has claimed a unit that is not there yet. Only
// the PE in the turnstile claims, so the number is never less. A release adds, and if it has served a claim it puts a 1
// into `notified` of the PE that `waiter`, at the home, names: a hint to look again, which may come late or for no
// reason. The claimer writes itself into `waiter` after its claim and looks at `units` after that; the releaser reads
// `waiter` after its addition. So either the claimer sees the units or the releaser sees the claimer.
//
// Messages: acquire 3 (turnstile 2, claim 1), release 1; handed over: 3 more for the claimer, 2 more for the releaser.
//
// Death: units have no owner, so a PE that dies takes its units with it, and no PE knows how many. When a PE of the job
// is gone, a claim that has waited for Watch::patience_ns breaks the semaphore.
#pragma once

#include "runtime/lock/mcs_lock.h"

namespace syncline {

class Semaphore {
  public:
    Semaphore(Endpoint* endpoint, syncline_address_t base, int home)
        : words_(endpoint), turnstile_(endpoint, base, home), base_(base), home_(home) {}

    // Sets the number of units, at the home, before any PE uses the semaphore.
    void fill(int64_t units);
    int acquire(uint64_t deadline_ns);
    int try_acquire();
    int release(uint32_t units);

    syncline_address_t base() const { return base_; }

  private:
    int claim(uint64_t deadline_ns);
    int await_unit(uint64_t deadline_ns);
    int take_if_left();
    bool somebody_died();
    int explain(int status);

    Words words_;
    McsLock turnstile_;
    const syncline_address_t base_;
    const int home_;
};

}  // namespace syncline
