// SPDX-License-Identifier: BSD-3-Clause
// The lock of Buntinas 2002, section IV: a queue like that of Mellor-Crummey and Scott. Node 0 is its home and has the
// word that names the last waiter; every other node has a `next` and a `locked` word of its own, on which it waits. The
// value 0 stands for no node.
//
// Messages, each with its reply: without other waiters, 1 to enter and 1 to leave; with others, 2 and 1; a node that
// leaves while another is between its swap and its link sends 2. The main thread waits for the reply to each access
// before it goes on.
#pragma once

#include <deque>

#include "sim/models/myrinet/machine.h"

namespace syncline::sim::myrinet {

// Checks that one node at a time has the lock, in the order in which the nodes entered the queue.
class LockWitness {
  public:
    // Takes the lock's word at its home, whenever it may have changed.
    void tail(uint64_t value);
    void enter(uint32_t node);
    void leave(uint32_t node);
    // Returns whether nothing has been wrong so far.
    bool right() const { return right_; }
    bool free() const { return tail_ == 0 && queue_.empty() && inside_ == 0; }

  private:
    std::deque<uint64_t> queue_;
    uint64_t tail_ = 0;
    uint32_t inside_ = 0;
    bool right_ = true;
};

// The main thread of a node, which locks and unlocks.
class Locker {
  public:
    static constexpr uint32_t home = 0;
    enum Word : uint32_t { kTail, kNext, kLocked };

    Locker(Machine* machine, LockWitness* witness, uint32_t node) : machine_(machine), witness_(witness), node_(node) {}

    // Locks and unlocks for as long as `again` returns true.
    void run(std::function<bool()> again);

    // The machine reports events of this node by these calls.
    void replied();
    void changed();

    uint64_t sections() const { return sections_; }
    // Time that all sections spent in taking and leaving the lock.
    Time locking() const { return locking_; }

  private:
    using Then = Machine::Then;

    void begin();
    void acquire();
    void queue_behind(uint32_t predecessor);
    void enter();
    void release();
    void leave_alone(bool was_last);
    void hand_over();
    void finish();

    uint64_t& word(Word which) { return machine_->node(node_).word(which); }
    void access(const Node::Access& access, std::function<void(uint64_t before)> then);
    void put(uint32_t target, Word which, uint64_t value, Then then);
    void await(std::function<bool()> condition, Then then);

    Machine* const machine_;
    LockWitness* const witness_;
    const uint32_t node_;
    std::function<bool()> again_, condition_;
    std::function<void(uint64_t)> on_reply_;
    Then on_condition_;
    uint64_t sections_ = 0;
    Time began_ = 0, locking_ = 0;
};

}  // namespace syncline::sim::myrinet
