// SPDX-License-Identifier: BSD-3-Clause
// The common part of all locks: which calls are allowed when, counts, and how a lock is broken.
//
// A lock lies at one address of the symmetric heap of every PE. The words in front are used at the lock's home only,
// the words behind them at every PE, by its own waits. Zero is the initial state of all of them.
//
// Ordering: leaving begins with a quiet, so all operations of the holder are complete at their targets before the next
// PE enters. Entering ends with an atomic or with a load-acquire of the word that the previous holder has written.
//
// Broken: for good, at all PEs, within a bounded time. A PE that finds a member of the queue gone sets the home's
// `broken` word, which all waiters read each Watch::patience_ns. For a PE that cannot reach the home the lock is
// broken, too.
//
// _NODE: this PE's own daemon is gone, and the node's NIC with it. Each wait, in whichever way it waits, checks the
// daemon (waiting.h), and so does each failure before the call returns it: without a daemon no death of another PE can
// be told from its silence. The PE's place in the queue is then lost, so its calls return _NODE for good. PEs of its
// node find out as it did; to other nodes it is silent.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.h"
#include "runtime/lock/watch.h"
#include "runtime/lock/words.h"

namespace syncline {

constexpr uint64_t no_deadline = UINT64_MAX;

// Offsets of words in a lock.
struct LockLayout {
    // Words that are used at the home.
    static constexpr uint64_t tail = 0;     // queue locks: the tail; ticket lock: its word
    static constexpr uint64_t broken = 8;   // not 0: a member of the queue died
    static constexpr uint64_t ticket = 16;  // hybrid
    static constexpr uint64_t counter = 24;
    static constexpr uint64_t units = 32;  // semaphore: units left; readers-writer lock: readers and writer
    static constexpr uint64_t waiter = 40;
    // Words that are used at every PE.
    static constexpr uint64_t link = 64;       // two halves: the successor, which the successor writes, and the state
    static constexpr uint64_t state = 68;      // queue locks
    static constexpr uint64_t gone = 72;       // not 0: this PE has left the queue because it is broken
    static constexpr uint64_t node = 80;       // two words: the nodes of the local release lock
    static constexpr uint64_t own = 96;        // ticket, hybrid, readers-writer lock: where this PE is
    static constexpr uint64_t notified = 104;  // hybrid's answers; readers-writer lock and semaphore: look again
    static constexpr uint64_t bytes = 128;

    // Behind these words: the hybrid's mailbox, 16 bytes for each PE, used at the home.
    static constexpr uint64_t mailbox(int rank) { return bytes + 16 * static_cast<uint64_t>(rank); }
    static constexpr uint64_t bytes_for(int ranks) { return mailbox(ranks); }
};

struct LockCounts {
    uint64_t acquired = 0;
    uint64_t waited = 0;    // acquisitions that had to wait; hybrid: each request to the home's server
    uint64_t requests = 0;  // requests to other PEs
    uint64_t inspections = 0;
};

class Lock {
  public:
    Lock(Endpoint* endpoint, syncline_address_t base, int home) : words_(endpoint), base_(base), home_(home) {}
    virtual ~Lock() = default;
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

    // Return exactly one of OK, _TIMEOUT, _BROKEN, _NODE and _INVALID; the message of a failure names the call.
    int acquire(uint64_t deadline_ns);
    int try_acquire();  // _BUSY as well
    // Releases the lock. After any status but _INVALID, this PE does not have the lock any more.
    int release();
    // Releases without the quiet: the caller completes its posted operations by itself.
    int hand_over() { return give_back(SYNCLINE_OK); }

    bool held() const { return use_.load(std::memory_order_acquire) != Use::kIdle; }
    syncline_address_t base() const { return base_; }
    int home() const { return home_; }
    LockCounts counts() const { return {acquired_, waited_, words_.requests(), watch_.inspections()}; }

    // Marks the lock as broken at the home. Returns _BROKEN.
    virtual int break_lock();

  protected:
    virtual int enter(uint64_t deadline_ns) = 0;
    virtual int try_enter() = 0;
    virtual int leave() = 0;
    // Asserts what holds of this PE's own words while it has the lock. Only this PE's code and the PE that has handed
    // over write them.
    virtual void check_entered() const {}

    // The pause between two looks at a lock: at most this for each PE in front.
    static constexpr uint64_t pause_ns = 2 * ns_per_us;
    static constexpr uint64_t pause_ns_max = 500 * ns_per_us;
    // An acquire with a deadline, for locks whose queue a PE cannot leave: it tries, at growing intervals.
    int try_until(uint64_t deadline_ns);

    syncline_address_t at(uint64_t offset) const { return base_ + offset; }
    // Called when an operation on the lock's own words has failed: breaks the lock, unless the status is _NODE.
    int broken_by(int status) { return status == SYNCLINE_ERR_NODE ? status : break_lock(); }
    // Returns whether a PE is known to be gone, after an operation on it has returned _PEER. A silent node may come
    // back.
    bool surely_gone(int rank) const { return !words_.endpoint()->fabrics().is_silent(rank); }
    // Asks PEs for the word at an offset: how many of the living ones match, and whether any PE is gone.
    struct Roll {
        uint64_t matching = 0;
        bool somebody_is_gone = false;
    };
    template <typename Ranks, typename Matches>
    Roll call_roll(const Ranks& ranks, uint64_t offset, Matches&& matches) {
        Roll roll;
        for (const int rank : ranks) {
            uint64_t word = 0;
            if (rank == words_.rank()) {
                word = __atomic_load_n(words_.own(at(offset)), __ATOMIC_ACQUIRE);
            } else if (words_.get(rank, at(offset), &word) != SYNCLINE_OK) {
                roll.somebody_is_gone = true;
                continue;
            }
            roll.matching += matches(word) ? 1 : 0;
        }
        return roll;
    }
    // Returns whether the home's word says broken, or cannot be read.
    bool broken_at_home();

    Words words_;
    const syncline_address_t base_;
    const int home_;
    bool broken_ = false;
    uint64_t waited_ = 0;
    Watch watch_{&words_, {WaitFor::kLock, home_, base_}};

  private:
    enum class Use { kIdle, kBusy, kHeld };
    enum class Way { kWait, kTry };  // of entering

    void note(TraceKind kind) const { words_.endpoint()->attachment().trace().note(kind, home_, base_); }
    int enter_as(Way way, uint64_t deadline_ns);
    int give_back(int quiet);
    int try_once();
    int told(int status);

    std::atomic<Use> use_{Use::kIdle};
    bool without_daemon_ = false;
    uint64_t calls_ = 0;         // number of calls to enter
    uint64_t next_look_ns_ = 0;  // when a loop of tries looks at the home's word next
    uint64_t acquired_ = 0;
};

}  // namespace syncline
