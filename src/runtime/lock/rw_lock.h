// SPDX-License-Identifier: BSD-3-Clause
// A readers-writer lock: an MCS lock as the turnstile, and a word that counts readers.
//
// Guarantee: a writer has the lock alone, readers have it together. Preference: a writer that is the first in the
// turnstile stops all readers that come later; these queue in the turnstile behind it, first come, first served with
// other writers. So neither readers nor writers starve. A PE has the lock once, as reader or writer.
//
// `units`, at the home: the lower half is the number of readers. The upper half is rank + 1 of the writer, which sets
// it when it has the turnstile and clears it when it leaves. A reader adds itself and is in if there was no writer.
// Otherwise it takes itself out again and goes through the turnstile, in which it finds no writer, because a writer
// would hold the turnstile. The writer waits until the number is 0. The PE that takes the number to 0 while there is a
// writer puts a 1 into the writer's `notified`. That is a hint to look again, which may come late or for no reason (a
// reader may have been in and out). So the writer resets `notified`, then looks at the number, then waits.
//
// `own`, at every PE, written by its owner: 1 while it is, or is about to be, among the readers.
//
// Messages: reader alone: enter 1, leave 1. Writer alone: enter 2, leave 2.
//
// Death: a writer's death, or that of any PE in the turnstile, has the effects that it has in the MCS lock. A writer
// that waits for readers asks all PEs for `own`; if one is gone, and more readers are counted than live, the lock is
// broken. A loop of tries checks, too, each Watch::patience_ns: a writer asks all PEs in the same way, a reader asks
// the writer.
#pragma once

#include "runtime/lock/mcs_lock.h"

namespace syncline {

class RwLock final : public Lock {
  public:
    RwLock(Endpoint* endpoint, syncline_address_t base, int home)
        : Lock(endpoint, base, home), turnstile_(endpoint, base, home) {}

    // Says whether this thread's next calls read or write.
    static void as_reader(bool reader) { reader_ = reader; }
    int break_lock() override;

  private:
    static constexpr uint64_t readers_mask = UINT32_MAX;

    int enter(uint64_t deadline_ns) override;
    int try_enter() override;
    int leave() override;
    void check_entered() const override;

    int enter_reading(uint64_t deadline_ns);
    int enter_writing(uint64_t deadline_ns);
    int try_writing();
    int count_reader(bool* in);
    int uncount_reader();
    int drain(uint64_t deadline_ns);
    int stop_writing();
    int through(int status);
    bool readers_died(uint64_t counted);
    uint64_t own() const { return __atomic_load_n(words_.own(at(LockLayout::own)), __ATOMIC_SEQ_CST); }
    void set_own(uint64_t value) { __atomic_store_n(words_.own(at(LockLayout::own)), value, __ATOMIC_SEQ_CST); }

    McsLock turnstile_;
    static thread_local bool reader_;
    bool reading_ = false;  // this PE holds the lock as a reader
    int writer_ = -1;       // the writer, when this PE last counted itself as a reader
    uint64_t next_roll_ns_ = 0;
};

}  // namespace syncline
