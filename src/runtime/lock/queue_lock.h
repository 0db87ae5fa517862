// SPDX-License-Identifier: BSD-3-Clause
// The common part of the two queue locks: the waiter's word, giving up, handing over, and finding out which PE died.
//
// A PE's state, the upper half of its `link` word:
//   kFree       the PE is not in the queue, or is about to enter it.
//   kWaiting    the PE is in the queue. The owner stores it before its swap of the tail makes the place known.
//   kGranted    the PE has the lock. The PE that handed over puts it there, with its own rank; if there was none, the
//               owner stores it.
//   kAbandoned  the owner gave up at a deadline, by compare&swap from kWaiting; carries the rank of its predecessor.
//               The place stays in the queue. An owner that comes back before its turn takes the place up again, by
//               compare&swap.
//   kPassing    a releaser, whose rank it carries, has found the place abandoned, by compare&swap, and acts for it.
//               When the next PE has been granted the lock, the releaser puts kFree, and the owner may use its words
//               again.
//   kGone       the owner has left because the lock is broken.
//
// Hand-over: one put of kGranted to a waiter without a deadline. A waiter with a deadline says so in its link, and the
// releaser grants it the lock by compare&swap, because it may have given up; that costs a result in the answer, no
// further message.
//
// Pairs: the granter's put (release, after its quiet) with the waiter's load-acquire of its state. The owner's stores
// of state and nodes (release) with its swap of the tail, through which its successor sees them.
//
// Death: see watch.h and lock.h. An inspection looks at the home's `broken`, at the predecessor's `gone` and state,
// and follows abandoned places to the PE that is to act for them.
#pragma once

#include <vector>

#include "runtime/lock/lock.h"

namespace syncline {

class QueueLock : public Lock {
  public:
    using Lock::Lock;
    int break_lock() override;

  protected:
    enum State : uint32_t { kFree = 0, kWaiting = 1, kGranted = 2, kAbandoned = 3, kPassing = 4, kGone = 5 };
    static constexpr uint32_t state_mask = 7;
    static uint32_t with_rank(State state, int rank) { return state | static_cast<uint32_t>(rank + 1) << 3; }
    static int rank_of(uint32_t state) { return static_cast<int>(state >> 3) - 1; }

    static constexpr uint64_t tail_broken = 1ull << 63;

    struct Successor {
        int rank = -1;  // -1: there is none
        bool timed = false;
        uint64_t id = 0;  // the value that it put into the tail
    };

    int enter(uint64_t deadline_ns) final;
    int try_enter() final;
    int leave() final;
    void check_entered() const final;

    // Enters at the end of the queue, and calls wait_for_grant() if there is a PE in front.
    virtual int join(uint64_t deadline_ns) = 0;
    virtual int try_join() = 0;
    // Gives up the place of `rank`, whose node the lock knows: finds the successor, or frees the lock if there is none.
    virtual int next_of(int rank, uint64_t id, Successor* successor) = 0;
    // `place` was given up to a successor that is gone: frees the lock if that successor was the last. Returns whether
    // it was.
    virtual bool free_past(const Successor& gone, uint64_t place) = 0;
    virtual uint64_t own_id() const = 0;

    int wait_for_grant(int predecessor, uint64_t deadline_ns);
    uint32_t state() const { return __atomic_load_n(own_state(), __ATOMIC_ACQUIRE); }
    void set_state(uint32_t state) { __atomic_store_n(own_state(), state, __ATOMIC_RELEASE); }
    bool change_state(uint32_t from, uint32_t to);
    Watch::Inspector inspector(int first);

  private:
    uint32_t* own_state() const { return words_.own32(base_ + LockLayout::state); }
    int come_back(uint64_t deadline_ns, bool* in_queue);
    int grant(const Successor& successor, bool* passed);

    int predecessor_ = -1;
    bool abandoned_ = false;  // this PE gave up at a deadline; its place may still be in the queue
    std::vector<int> passed_;
};

}  // namespace syncline
