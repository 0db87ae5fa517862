// SPDX-License-Identifier: BSD-3-Clause
// The queueing lock of Mellor-Crummey and Scott over remote atomics (Buntinas 2002, section IV; Buntinas 2003,
// section 3.2).
//
// Guarantee: mutual exclusion; first come, first served, in the order of the swaps of the tail; waiters read nothing
// but their own memory. queue_lock.h has the meaning of the states.
//
// The tail, at the home: rank + 1 of the last in the queue, 0: free; bit 63: broken. The `next` half of a PE's link
// word: rank + 1 of its successor, with bit 31 if that has a deadline; stored 0 by the owner before it enters, put by
// the successor.
//
// Messages (a message is a request; each has its answer):
//   alone:        enter 1 (swap), leave 1 (compare&swap).
//   queued:       enter 2 (swap, put of the link), and no more however long it waits; leave 1 (put to the successor).
//   given up:     nothing; the releaser pays two compare&swaps, a get or more of its link, and a put.
//   release race (a successor has swapped, its link is not here yet): leave 2, and a wait for the link.
//
// Recovered: a releaser whose direct successor is surely gone and is the last one takes the tail back. Everything
// else that dies in the queue breaks the lock; a PE outside the queue may die.
#pragma once

#include "runtime/lock/queue_lock.h"

namespace syncline {

class McsLock final : public QueueLock {
  public:
    using QueueLock::QueueLock;

  private:
    static constexpr uint32_t timed_bit = 1u << 31;

    int join(uint64_t deadline_ns) override;
    int try_join() override;
    int next_of(int rank, uint64_t id, Successor* successor) override;
    bool free_past(const Successor& gone, uint64_t place) override;
    uint64_t own_id() const override { return static_cast<uint64_t>(words_.rank()) + 1; }

    void prepare(State state);
    uint32_t own_next() const;
    int link_of(int rank, uint32_t* next);
    int await_link(int rank, uint32_t* next);
    int await_remote_link(int rank, uint32_t* next);
    Watch::Inspector last_inspector();
};

}  // namespace syncline
