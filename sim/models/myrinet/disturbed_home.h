// SPDX-License-Identifier: BSD-3-Clause
// The main thread of a lock's home does something else while node 1 locks and unlocks: Buntinas 2002, section V.C.
#pragma once

#include "sim/models/myrinet/locker.h"

namespace syncline::sim::myrinet {

class DisturbedHome : public Machine::Client {
  public:
    explicit DisturbedHome(const Parameters& parameters)
        : p_(parameters), machine_(parameters, this), locker_(&machine_, &witness_, 1) {}

    void executed(uint32_t node) final {
        if (node == Locker::home) {
            witness_.tail(machine_.node(node).word(Locker::kTail));
        }
    }
    void replied(uint32_t /*node*/) final { locker_.replied(); }

  protected:
    // Runs `work` of the home's main thread, which calls done() at its end, and then until the lock is free again.
    void run(const Machine::Then& work) {
        if (p_.workload.disturb) {
            locker_.run([this] { return !done_; });
        }
        work();
        machine_.run();
        machine_.kernel().check(done_);
    }
    void done() {
        done_ = true;
        end_ = machine_.kernel().now();
        sections_ = locker_.sections();
    }
    void add_results(Results* results) const {
        results->add("locks_per_ms", static_cast<double>(sections_) * 1000 / to_us(end_));
        results->add("right", witness_.right() && witness_.free());
        results->add("events", static_cast<int64_t>(machine_.kernel().events()));
    }

    const Parameters p_;
    Machine machine_;
    Time end_ = 0;

  private:
    LockWitness witness_;
    Locker locker_;
    uint64_t sections_ = 0;
    bool done_ = false;
};

}  // namespace syncline::sim::myrinet
