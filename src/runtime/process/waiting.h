// SPDX-License-Identifier: BSD-3-Clause
// Where a PE's threads wait: for completions, for words of their own memory, and for room in a fabric. A thread that
// waits makes progress in all fabrics, has lost packets sent again, and notices that its daemon is gone.
//
// Threads: any; no lock is held here, and none while `done` is called. `done` reads shared words, and loads
// them atomically.
#pragma once

#include <algorithm>
#include <atomic>

#include "base/clock.h"
#include "fabric/choice/fabrics.h"
#include "runtime/process/waiter.h"

namespace syncline {

class Waiting {
  public:
    Waiting(Attachment* attachment, Fabrics* fabrics, int mode)
        : attachment_(attachment), fabrics_(fabrics), waiter_(attachment, mode, fabrics->wait_fds()) {}

    // Waits until `done()` returns true. OK, _NODE or, at the deadline, _TIMEOUT. A loop of waits, however short each
    // is, learns as one long wait does that the daemon is gone.
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

    // Is the daemon there? Asks it now and then only, so a caller may look often.
    bool daemon_answers(uint64_t now) {
        return now < ask_daemon_at_ns_.load(std::memory_order_relaxed) || ask_daemon(now);
    }

    // One turn of a loop whose words change without a wake-up: does for this PE's own operations what wait_for() does,
    // and yields. OK or _NODE.
    int look_again();

    // PEs outnumber the CPUs.
    bool is_crowded() const { return waiter_.is_crowded(); }
    void look_at_crowd() { waiter_.look_at_crowd(); }

  private:
    int await_room(uint64_t turn);
    bool ask_daemon(uint64_t now);

    Attachment* const attachment_;
    Fabrics* const fabrics_;
    Waiter waiter_;
    // Any thread that has had an answer moves it on; relaxed, because the word guards nothing. It stays in the past
    // once there is no answer, so that all threads ask.
    std::atomic<uint64_t> ask_daemon_at_ns_{0};
};

template <typename Done>
int Waiting::wait_for(Done&& done, uint64_t deadline_ns) {
    fabrics_->flush();
    for (uint64_t turn = 0;; turn++) {
        fabrics_->progress();
        if (done()) {
            return SYNCLINE_OK;
        }
        uint64_t wake_at = deadline_ns;
        if ((turn + 1) % waiter_.turns_per_look(turn) == 0) {
            // These two looks may be all that a loop of short waits comes to.
            const uint64_t now = now_ns();
            if (!daemon_answers(now)) {
                return SYNCLINE_ERR_NODE;
            }
            if (now >= deadline_ns) {
                (void)fabrics_->retry(now);
                return SYNCLINE_ERR_TIMEOUT;
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
