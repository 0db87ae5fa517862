// SPDX-License-Identifier: BSD-3-Clause
// ARMCI's original lock (Buntinas 2003, section 3.2.1): a baseline. PEs of the home's node take a ticket with CPU
// atomics and poll the counter; all others ask a server, a thread of the home's process; every release goes through the
// server.
//
// Guarantee: mutual exclusion; first come, first served by tickets, which the server takes for its clients in the order
// in which it finds their requests. try_acquire() takes a ticket only if it is served at once; an acquire with a
// deadline repeats that, and is not fair.
//
// At the home: `ticket` and `counter`, and for each PE two mailbox words that only it writes, only upwards:
//   requests   2 * number of requests so far, + 1 if the latest is a try.
//   releases   number of releases so far.
// At every PE: `notified`, put by the server: 2 * the request that is answered, + 1 if it was refused. `own`, written
// by PEs of the home's node: kNone, kTaking, else their ticket + kFirst.
//
// Messages: local: enter 0, leave 0, but the server must run. Remote: enter 1 (put of the request) and the server's
// answer; leave 1, which this PE does not wait for. Hand-over to a remote PE: two latencies, and a wake-up of the
// server in block mode.
//
// Death: the server looks each Watch::patience_ns, while the lock is held, whether the holder lives: it knows remote
// ones, and asks those of its node for `own`. A queued client that is surely gone is skipped. Waiters look whether the
// home lives and at its `broken`.
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

    int enter_local();
    int try_local();
    int ask(bool trying);
    int finish_release();
    uint64_t* home_word(uint64_t offset) const;  // for PEs of the home's node
    void set_own(uint64_t value) { __atomic_store_n(words_.own(at(LockLayout::own)), value, __ATOMIC_SEQ_CST); }
    Watch::Inspector home_inspector();

    void serve();
    bool has_mail() const;
    void take_mail();
    void answer_next();
    void answer(int rank, bool refused);
    void check_holder();

    const bool local_;  // to the home
    uint64_t requests_ = 0;
    uint64_t releases_ = 0;
    uint64_t release_value_ = 0;
    syncline_request_t release_request_ = 0;  // not waited for yet

    // The server's.
    std::vector<Seen> seen_;
    std::deque<Client> queue_;
    int holder_ = -1;  // a remote one
    Words server_words_;
    std::atomic<bool> stop_{false};
    std::unique_ptr<Background> server_;
};

}  // namespace syncline
