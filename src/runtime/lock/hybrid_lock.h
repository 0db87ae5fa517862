// SPDX-License-Identifier: BSD-3-Clause
// ARMCI's original lock (Buntinas 2003, section 3.2.1): a baseline. PEs of the home's node take a ticket with CPU
// atomics and poll the counter; all others ask a server, a thread of the home's process; every release goes through the
// server.
//
// Guarantee: mutual exclusion; first come, first served by tickets, which the server takes for its clients in the order
// in which it finds their requests. try_acquire() takes a ticket only if the ticket is served at once. An acquire with
// a deadline repeats try_acquire(), and is not fair.
//
// At the home: `ticket` and `counter`, and for each PE two mailbox words, which only that PE writes and only increases:
//   requests   2 * number of requests so far, + 1 if the latest is a try.
//   releases   number of releases so far.
// At every PE: `notified`, put by the server: 2 * the number of the answered request, + 1 if the server refused it.
// `own`, written by PEs of the home's node: kNone, kTaking, else their ticket + kFirst.
//
// Messages: local: enter 0, leave 0, but the server must run. Remote: enter 1 (put of the request) and the server's
// answer; leave 1, for which this PE does not wait. Hand-over to a remote PE: two latencies, and a wake-up of the
// server in block mode.
//
// Death: while the lock is held, the server checks each Watch::patience_ns whether the holder lives: it knows a remote
// holder, and asks the PEs of its node for `own`. It skips a queued client that is surely gone. Waiters check whether
// the home lives, and its `broken`.
#pragma once

#include <deque>

#include "base/os.h"
#include "runtime/lock/lock.h"

namespace syncline {

class HybridLock final : public Lock {
  public:
    HybridLock(Endpoint* endpoint, syncline_address_t base, int home);
    ~HybridLock() override;

  private:
    enum Own : uint64_t { kNone = 0, kTaking = 1, kFirst = 2 };
    struct Client {
        uint64_t ticket;
        int rank;
    };
    struct Seen {
        uint64_t requests = 0;
        uint64_t releases = 0;
    };

    int enter(uint64_t deadline_ns) override;
    int try_enter() override;
    int leave() override;
    void check_entered() const override;

    int enter_local();
    int try_local();
    int ask(bool trying);
    int finish_release();
    uint64_t* home_word(uint64_t offset) const;  // NULL once the home is gone; for PEs of the home's node
    uint64_t own() const { return __atomic_load_n(words_.own(at(LockLayout::own)), __ATOMIC_SEQ_CST); }
    void set_own(uint64_t value) { __atomic_store_n(words_.own(at(LockLayout::own)), value, __ATOMIC_SEQ_CST); }
    Watch::Inspector home_inspector();

    void serve();
    bool has_mail() const;
    void take_mail();
    void answer_next();
    void answer(int rank, bool refused);
    void check_holder();

    const bool local_;  // this PE is on the home's node
    uint64_t requests_ = 0;
    uint64_t releases_ = 0;
    uint64_t release_value_ = 0;
    syncline_request_t release_request_ = 0;  // this PE has not waited for it yet

    // The server's state.
    std::vector<Seen> seen_;
    std::deque<Client> queue_;
    int holder_ = -1;  // rank, if it is a remote PE; else -1
    Words server_words_;
    std::atomic<bool> stop_{false};
    std::unique_ptr<Background> server_;
};

}  // namespace syncline
