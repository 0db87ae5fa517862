// SPDX-License-Identifier: BSD-3-Clause
// Waits for a word of this PE, without trusting that the PE that is to write it lives.
//
// Guarantee: a wait ends with its word, at its deadline, or with _BROKEN once an inspection has found a reason. The
// first inspection starts after `patience_ns`, and each further one that long after the previous one has ended. An
// inspection is a few gets, one at a time, without blocking: the wait checks the word and the deadline meanwhile. A get
// of a PE that is gone ends at once, a get of a silent node after the peer timeout. A PE that is granted the lock
// before that sends no message.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "runtime/lock/words.h"

namespace syncline {

// A get that may outlive the wait for which it was started.
class Probe {
  public:
    explicit Probe(Words* words) : words_(words) {}
    ~Probe();
    Probe(const Probe&) = delete;
    Probe& operator=(const Probe&) = delete;

    struct Seen {
        int status;
        uint64_t value;
    };

    bool started() const { return started_; }
    void start(int rank, syncline_address_t word);
    bool finished(Seen* seen);  // returns whether the get is over; then none is started any more

  private:
    Words* const words_;
    bool started_ = false;
    syncline_request_t request_ = 0;  // 0: the get could not even be sent
    int status_ = SYNCLINE_OK;
    uint64_t value_ = 0;
};

class Watch {
  public:
    static constexpr uint64_t patience_ns = 100 * ns_per_ms;

    // `aim` is for the trace.
    Watch(Words* words, const Waiting::Aim& aim) : words_(words), aim_(aim), probe_(words) {}

    enum class Verdict { kHealthy, kBroken, kLook };
    struct Step {
        Verdict verdict;
        int rank = 0;  // for kLook: the PE whose word to get
        syncline_address_t word = 0;
    };
    // Called with nullptr at the start of an inspection, then with the value of each word that it asked for.
    using Inspector = std::function<Step(const Probe::Seen*)>;

    // Returns OK, _TIMEOUT, _BROKEN, _NODE or _INTERRUPTED. Calls `done` as Waiting::wait_for() does, without a lock.
    template <typename Done>
    int wait(Done&& done, uint64_t deadline_ns, const Inspector& inspect) {
        uint64_t rest_until = now_ns() + patience_ns;
        inspecting_ = false;
        glancing_ = false;
        for (;;) {
            const uint64_t until = probe_.started() ? now_ns() + ns_per_ms : rest_until;
            const int waited = words_->endpoint()->waiting().wait_for(done, std::min(deadline_ns, until), aim_);
            if (waited != SYNCLINE_ERR_TIMEOUT) {
                return waited;
            }
            const uint64_t now = now_ns();
            if (now >= deadline_ns) {
                return SYNCLINE_ERR_TIMEOUT;
            }
            if (advance(now, inspect, &rest_until)) {
                return SYNCLINE_ERR_BROKEN;
            }
        }
    }

    // Does one whole inspection at once, for a caller that waits for something else than a word of its own.
    bool finds_broken(const Inspector& inspect);

    // Checks whether `rank` lives, for a caller that does not wait: at most once each patience_ns. Non-blocking.
    bool found_dead(int rank, syncline_address_t word);

    uint64_t inspections() const { return inspections_; }

  private:
    bool advance(uint64_t now, const Inspector& inspect, uint64_t* rest_until);

    Words* const words_;
    const Waiting::Aim aim_;
    Probe probe_;
    bool inspecting_ = false;  // the probe under way belongs to the present inspection
    bool glancing_ = false;    // the probe under way belongs to found_dead()
    uint64_t next_glance_ns_ = 0;
    uint64_t inspections_ = 0;
};

}  // namespace syncline
