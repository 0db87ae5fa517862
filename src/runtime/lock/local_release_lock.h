// SPDX-License-Identifier: BSD-3-Clause
// A queueing lock whose release needs no compare&swap, and no message at all if no PE waits (Buntinas 2003,
// sections 4.2 and 5 ask for the former).
//
// Guarantee: as the MCS lock: mutual exclusion, first come, first served, and waiters read only their own memory.
// queue_lock.h explains the states.
//
// The tail, at the home, names the node of the last PE to have entered, also after that PE has left: (rank + 1) * 2 +
// which; 0: no PE has entered yet; bit 63: broken. Each PE has two nodes, words in its own memory:
//   empty       the owner has entered and not left, and there is no successor yet. The owner stores it before its swap
//               of the tail.
//   released    the owner has left; the value also says which PE left: the owner, which swaps it in its own memory, or
//               the releaser that acts for an owner that has given up its place.
//   otherwise   the successor: its node's name * 2, with bit 0 if it has a deadline; the successor swaps it in.
// Owner and successor each swap the node once. The second of them finds the value that the first has left, and knows
// from it whether the successor enters, or the owner hands over. So there is no release race, and no PE waits to
// release.
//
// Why two nodes suffice: a node is in use until the successor has swapped it, which may be long after its owner has
// left. The owner enters again with its other node. The PE that swapped the tail away from the first node is in the
// queue in front of that second entry, and has swapped the first node before it was granted or gave up. So when the
// second entry is granted (or given up, and passed), no PE will touch the first node any more, and the owner's third
// entry may use it.
//
// Messages: enter 1 if this PE was the last to hold the lock (the node it finds is its own), else 2 (swap of the tail,
// swap of the predecessor's node), then none while it waits. Leave 0 if no PE waits, else 1 (put to the successor). For
// a place that was given up, the releaser pays two compare&swaps, a swap of its node and a put.
//
// The price: only the last holder's node knows that the lock is free. If that PE dies, even long after it has released,
// the lock is broken. And an entry after another PE takes two latencies, not one.
//
// Recovered: if a releaser's direct successor is surely gone and is the last in the queue, the releaser sets the tail
// back to the place that it has just released.
#pragma once

#include "runtime/lock/queue_lock.h"

namespace syncline {

class LocalReleaseLock final : public QueueLock {
  public:
    using QueueLock::QueueLock;
    // For the holder: returns the PE that held the lock before, which may be this one; -1: there was none. This is not
    // the predecessor in the queue, which may have given up its place.
    int last_holder() const { return rank_of(state()); }

  private:
    static constexpr uint64_t empty = 0;
    static constexpr uint64_t released_bit = 1ull << 63;
    static uint64_t released_by(int rank) { return released_bit | static_cast<uint64_t>(rank); }
    static int rank_of_node(uint64_t id) { return static_cast<int>(id >> 1) - 1; }
    static uint64_t word_of_node(uint64_t id) { return LockLayout::node + (id & 1) * 8; }

    int join(uint64_t deadline_ns) override;
    int try_join() override;
    int next_of(int rank, uint64_t id, Successor* successor) override;
    bool free_past(const Successor& gone, uint64_t place) override;
    uint64_t own_id() const override { return (static_cast<uint64_t>(words_.rank()) + 1) << 1 | which_; }

    void take_other_node();
    int swap_node(uint64_t id, uint64_t value, uint64_t* old);
    int queue_behind(uint64_t before, uint64_t deadline_ns);

    uint64_t which_ = 0;  // index of the node of the latest entry
};

}  // namespace syncline
