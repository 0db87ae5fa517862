// SPDX-License-Identifier: BSD-3-Clause
// Method: critical sections under each kind of lock, taken in every way. A PE inside reads a counter at a third PE and
// writes it back one higher, with a get and a posted store that is not waited for: only the lock makes that right. No
// two sections may have read the same.
#include <unistd.h>

#include <algorithm>
#include <array>

#include "tests/linearizability/pe.h"

namespace linearizability {
namespace {

constexpr int kinds = 4;
constexpr uint64_t turn = 8;  // sections in a row under one kind, so that PEs meet there

struct Guarded {
    syncline_lock_t* lock = nullptr;
    uint32_t object = 0;
    syncline_address_t counter = 0;
    bool broken = false;
};

class Visitor {
  public:
    Visitor(const Plan& plan, History* history, syncline::Prng* random)
        : plan_(plan), history_(history), random_(random) {
        const syncline_address_t counters = allocate(kinds * sizeof(uint64_t));
        for (int kind = 0; kind < kinds; kind++) {
            Guarded& guarded = all_[static_cast<size_t>(kind)];
            const int home = home_of(kind);
            must(syncline_lock_create(kind, home, &guarded.lock), "lock_create");
            guarded.object = history->add_object(static_cast<uint32_t>(kind), home);
            guarded.counter = counters + static_cast<size_t>(kind) * sizeof(uint64_t);
        }
        must(syncline_barrier(), "barrier");
    }

    void visit() {
        Guarded& guarded = all_[section_++ / turn % kinds];
        if (guarded.broken || !acquire(&guarded)) {
            return;
        }
        count(guarded);
        if (random_->below(4) == 0) {
            ::usleep(static_cast<useconds_t>(random_->below(200)));
        }
        release(&guarded);
    }
    bool noticed_death() const {
        return std::any_of(all_.begin(), all_.end(), [](const Guarded& guarded) { return guarded.broken; });
    }

  private:
    // Among the last PEs, in turn: one is at the PE that may be killed, so that there is a lock that breaks.
    int home_of(int kind) const {
        const int last = syncline_size() - 1;
        return last - static_cast<int>((static_cast<uint64_t>(kind) + plan_.seed) %
                                       static_cast<uint64_t>(std::min(syncline_size(), kinds)));
    }

    bool acquire(Guarded* guarded) {
        const uint64_t how = random_->below(8);
        const int64_t timeout_us = static_cast<int64_t>(random_->below(400));
        const Operation operation = how == 0   ? Operation::kTryAcquire
                                    : how == 1 ? Operation::kAcquireTimed
                                               : Operation::kAcquire;
        Record* const record = history_->call(guarded->object, operation);
        const int status = how == 0   ? syncline_lock_try_acquire(guarded->lock)
                           : how == 1 ? syncline_lock_acquire_timed(guarded->lock, timeout_us)
                                      : syncline_lock_acquire(guarded->lock);
        History::done(record, outcome(guarded, status, operation));
        return status == SYNCLINE_OK;
    }

    Outcome outcome(Guarded* guarded, int status, Operation operation) {
        if (status == SYNCLINE_OK) {
            return Outcome::kDone;
        }
        if (status == SYNCLINE_ERR_BUSY && operation == Operation::kTryAcquire) {
            return Outcome::kBusy;
        }
        if (status == SYNCLINE_ERR_TIMEOUT && operation == Operation::kAcquireTimed) {
            return Outcome::kTimedOut;
        }
        if (!plan_.mortal || status != SYNCLINE_ERR_BROKEN) {
            fail(std::string("an operation on a lock: ") + syncline_last_error());
        }
        guarded->broken = true;
        return operation == Operation::kRelease ? Outcome::kUnknown : Outcome::kBroken;
    }

    // PE 0 is never killed.
    void count(const Guarded& guarded) {
        Record* const record = history_->call(guarded.object, Operation::kCount);
        uint64_t value = 0;
        must(syncline_get(0, guarded.counter, &value, sizeof(value)), "get");
        must(syncline_store64(0, guarded.counter, value + 1), "store");
        History::done(record, Outcome::kDone, value);
    }

    void release(Guarded* guarded) {
        Record* const record = history_->call(guarded->object, Operation::kRelease);
        const int status = syncline_lock_release(guarded->lock);
        History::done(record, outcome(guarded, status, Operation::kRelease));
    }

    const Plan& plan_;
    History* const history_;
    syncline::Prng* const random_;
    std::array<Guarded, kinds> all_;
    uint64_t section_ = 0;
};

}  // namespace

void use_locks(const Plan& plan, History* history, syncline::Prng* random) {
    Visitor visitor(plan, history, random);
    act_on(plan, [&] { visitor.visit(); }, [&] { return visitor.noticed_death(); });
}

}  // namespace linearizability
