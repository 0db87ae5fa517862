// SPDX-License-Identifier: BSD-3-Clause
// The place where a PE's threads wait: for completions, for words of their own memory, and for room in a fabric. A
// thread that waits makes progress in all fabrics, has lost packets sent again, and notices that its daemon is gone.
//
// Threads: any; a waiting thread holds no lock, nor does it while it calls `done`. `done` reads shared words, and loads
// them atomically.
#pragma once

#include <algorithm>
#include <atomic>

#include "base/clock.h"
#include "base/trace.h"
#include "fabric/choice/fabrics.h"
#include "runtime/ground/interruption.h"
#include "runtime/ground/waiter.h"

namespace syncline {

class Waiting {
  public:
    // The aim of a wait, for the trace.
    struct Aim {
        WaitFor what = WaitFor::kOther;
        int peer = -1;  // the rank of the PE that is to end the wait
        uint64_t number = 0;
    };
    // A wait of some turns that the trace tells of. A wait that is over sooner costs the trace nothing.
    class Noted {
      public:
        Noted(const Trace& trace, const Aim& aim) : trace_(trace), aim_(aim) {}
        void begin(uint64_t now) {
            if (__builtin_expect(trace_.is_on(), 0) && begun_ns_ == 0 && aim_.what != WaitFor::kUntraced) {
                note_begin(now);
            }
        }
        // Returns the status of the wait.
        int end(int status) {
            if (__builtin_expect(begun_ns_ != 0, 0)) {
                note_end(status);
            }
            return status;
        }

      private:
        void note_begin(uint64_t now);
        void note_end(int status) const;

        const Trace& trace_;
        const Aim& aim_;
        uint64_t begun_ns_ = 0;
    };

    Waiting(Attachment* attachment, Fabrics* fabrics, int mode)
        : attachment_(attachment),
          fabrics_(fabrics),
          waiter_(attachment, mode, fabrics->wait_fds(), fabrics->wakes_sleepers()) {}

    // Waits until `done()` returns true; the trace tells of `aim`. Returns OK, _NODE, _INTERRUPTED or, at the deadline,
    // _TIMEOUT. A loop of waits learns that the daemon is gone as one long wait does, however short each wait is.
    template <typename Done>
    int wait_for(Done&& done, uint64_t deadline_ns, const Aim& aim);
    template <typename Done>
    int wait_for(Done&& done, uint64_t deadline_ns = UINT64_MAX) {
        return wait_for(std::forward<Done>(done), deadline_ns, Aim());
    }

    // Calls `begin()`, a call of a fabric, until it has started all parts of an operation; waits for room while it
    // returns _BUSY.
    template <typename Begin>
    int start(Begin&& begin) {
        int status = begin();
        if (__builtin_expect(status != SYNCLINE_ERR_BUSY, 1)) {
            return status;
        }
        const Aim aim = {WaitFor::kRoom};
        Noted noted(attachment_->trace(), aim);
        for (uint64_t turn = 0; status == SYNCLINE_ERR_BUSY; turn++) {
            const int alive = await_room(turn, &noted);
            status = alive == SYNCLINE_OK ? begin() : alive;
        }
        return noted.end(status);
    }

    // Waits until the operation is over. Returns its status, or the reason why the wait was given up; the fabrics have
    // then forgotten the operation. An interruption does not end the wait where that would cost more than the
    // operation.
    int finish(Completion* completion) {
        while (!completion->is_over()) {
            const int waited = wait_for([&] { return completion->is_over(); }, UINT64_MAX, {WaitFor::kAnswers});
            if (waited != SYNCLINE_OK && (waited != SYNCLINE_ERR_INTERRUPTED || fabrics_->recalls())) {
                fabrics_->forget(completion);
                return waited;
            }
        }
        return completion->status();
    }

    // Returns whether the daemon is there. Asks it only now and then, so a caller may call often.
    bool daemon_answers(uint64_t now) {
        return now < ask_daemon_at_ns_.load(std::memory_order_relaxed) || ask_daemon(now);
    }

    // One turn of a loop whose words change without a wake-up: handles this PE's own operations as wait_for() does, and
    // yields. Returns OK or _NODE.
    int look_again();

    // Returns whether PEs outnumber the CPUs.
    bool is_crowded() const { return waiter_.is_crowded(); }
    void look_at_crowd() { waiter_.look_at_crowd(); }

  private:
    int await_room(uint64_t turn, Noted* noted);
    bool ask_daemon(uint64_t now);

    Attachment* const attachment_;
    Fabrics* const fabrics_;
    Waiter waiter_;
    // Any thread that has had an answer moves it on. It is relaxed, because the word guards nothing. It stays in the
    // past once there is no answer, so that all threads ask.
    std::atomic<uint64_t> ask_daemon_at_ns_{0};
};

template <typename Done>
int Waiting::wait_for(Done&& done, uint64_t deadline_ns, const Aim& aim) {
    Noted noted(attachment_->trace(), aim);
    fabrics_->flush();
    for (uint64_t turn = 0;; turn++) {
        fabrics_->progress();
        if (done()) {
            return noted.end(SYNCLINE_OK);
        }
        uint64_t wake_at = deadline_ns;
        if ((turn + 1) % waiter_.turns_per_look(turn) == 0) {
            // A loop of short waits may never get past these two checks.
            const uint64_t now = now_ns();
            noted.begin(now);
            if (!daemon_answers(now)) {
                return noted.end(SYNCLINE_ERR_NODE);
            }
            if (is_interrupted(now)) {
                return noted.end(SYNCLINE_ERR_INTERRUPTED);
            }
            if (now >= deadline_ns) {
                (void)fabrics_->retry(now);
                return noted.end(SYNCLINE_ERR_TIMEOUT);
            }
            fabrics_->flush();  // sends posts that another thread makes while this one waits
            wake_at = std::min(wake_at, fabrics_->retry(now));
        }
        waiter_.idle(turn, wake_at, [&] {
            fabrics_->progress();
            return done();
        });
    }
}

}  // namespace syncline
