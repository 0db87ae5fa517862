// SPDX-License-Identifier: BSD-3-Clause
// Where a PE's threads wait: for completions, for words of their own memory, and for room in a fabric. A thread that
// waits makes progress in all fabrics, has lost packets sent again, and notices that its daemon is gone.
//
// Threads: any; no lock is held here, and none while `done` is called. `done` reads shared words, and loads
// them atomically.
#pragma once

#include <algorithm>

#include "base/clock.h"
#include "fabric/choice/fabrics.h"
#include "runtime/process/waiter.h"

namespace syncline {

class Waiting {
  public:
    Waiting(Attachment* attachment, Fabrics* fabrics, int mode)
        : attachment_(attachment), fabrics_(fabrics), waiter_(attachment, mode, fabrics->wait_fds()) {}

    // Waits until `done()` returns true. OK, _NODE or, at the deadline, _TIMEOUT.
    template <typename Done>
    int wait_for(Done&& done, uint64_t deadline_ns = UINT64_MAX);

    // Has `begin()`, a call of a fabric, start all that it is to start; waits for room while it returns _BUSY.
    template <typename Begin>
    int start(Begin&& begin) {
        int status = begin();
        for (uint64_t turn = 0; __builtin_expect(status == SYNCLINE_ERR_BUSY, 0); turn++) {
            const int alive = await_room(turn);
            status = alive == SYNCLINE_OK ? begin() : alive;
        }
        return status;
    }

    // Waits until what was started is over: its status, or why the wait was given up, with all of it forgotten.
    int finish(Completion* completion) {
        if (!completion->is_over()) {
            if (const int waited = wait_for([&] { return completion->is_over(); }); waited != SYNCLINE_OK) {
                fabrics_->forget(completion);
                return waited;
            }
        }
        return completion->status();
    }

    // One turn of a loop whose words change without a wake-up: does for this PE's own operations what wait_for() does,
    // and yields. OK or _NODE.
    int look_again();

    // PEs outnumber the CPUs.
    bool is_crowded() const { return waiter_.is_crowded(); }
    void look_at_crowd() { waiter_.look_at_crowd(); }

  private:
    int await_room(uint64_t turn);

    Attachment* const attachment_;
    Fabrics* const fabrics_;
    Waiter waiter_;
};

template <typename Done>
int Waiting::wait_for(Done&& done, uint64_t deadline_ns) {
    fabrics_->flush();
    uint64_t look_at_daemon_ns = 0;
    for (uint64_t turn = 0;; turn++) {
        fabrics_->progress();
        if (done()) {
            return SYNCLINE_OK;
        }
        uint64_t wake_at = deadline_ns;
        if ((turn + 1) % waiter_.turns_per_look(turn) == 0) {
            const uint64_t now = now_ns();
            if (now >= deadline_ns) {
                (void)fabrics_->retry(now);  // this may be all that a loop of short waits comes to
                return SYNCLINE_ERR_TIMEOUT;
            }
            if (now >= look_at_daemon_ns) {
                if (!attachment_->daemon_alive()) {
                    return SYNCLINE_ERR_NODE;
                }
                look_at_daemon_ns = now + 50 * ns_per_ms;
            }
            fabrics_->flush();  // what another thread posts while this one waits
            wake_at = std::min(wake_at, fabrics_->retry(now));
        }
        waiter_.idle(turn, wake_at, [&] {
            fabrics_->progress();
            return done();
        });
    }
}

}  // namespace syncline
