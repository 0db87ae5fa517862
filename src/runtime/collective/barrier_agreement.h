// SPDX-License-Identifier: BSD-3-Clause
// How the members of a numbered barrier agree on an instance of it when they open it, and part when they close it.
//
// Opening: the first member, the leader, draws a new instance number. It publishes the number, with a digest of the
// arguments that it was given (members, options), in its words of that barrier number. The other members read these
// words until the digest equals theirs and the instance is a new one.
// Closing: every member adds one to a word of the leader's, exactly once as every atomic is, and waits until all have
// done so.
//
// The leader writes its words with seq_cst stores, the announcement last; the others read them by atomics.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/clock.h"
#include "runtime/collective/barrier.h"
#include "runtime/collective/barrier_words.h"

namespace syncline {

// A member that has waited for so long asks whether the others are still there.
constexpr uint64_t probe_interval_ns = 500 * ns_per_ms;

inline uint64_t load_word(const uint64_t* word) {
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

class BarrierAgreement {
  public:
    // Keeps `ranks`.
    BarrierAgreement(Endpoint* endpoint, BarrierHistory* history, uint32_t number, const std::vector<uint32_t>* ranks);

    // Agrees on an instance, and returns the leader's choice word, which `choose` makes at the leader. Throws Failure.
    uint64_t open(const Barrier::Options& options, const std::function<uint64_t()>& choose);
    uint32_t instance() const { return instance_; }

    // The state of a barrier, as its members see it.
    struct State {
        std::function<bool()> is_open;
        std::function<void()> break_it;  // called when a member is found gone
    };
    // Waits until all members have closed. Returns OK; _PEER once the barrier is open no more; or another status, with
    // a message.
    int close(const State& state);
    // Waits until a word of the leader's is as `done` wants it, and asks now and then whether the members are there.
    // Returns false once the barrier is open no more. Throws Failure.
    bool await_leader(uint64_t offset, const State& state, const std::function<bool(uint64_t)>& done) const;

    bool is_leader() const;
    // Returns the place of a word of this PE, and the value of a word of the leader's; throws Failure.
    uint64_t* own(uint64_t offset) const;
    uint64_t read_leader(uint64_t offset) const;
    // Returns whether a member is gone.
    bool is_gone(uint32_t rank) const;
    // Returns an error with a message that names the barrier.
    int complain(int status) const;

  private:
    uint32_t digest(const Barrier::Options& options) const;
    void announce(uint32_t digest, uint64_t choice);
    void await_announcement(uint32_t digest);

    Endpoint* const endpoint_;
    BarrierHistory* const history_;
    const uint32_t number_;
    const std::vector<uint32_t>* const ranks_;
    uint32_t instance_ = 0;
    uint64_t base_ = 0;  // the leader's count of closed members when this instance opened
};

// One turn of a wait for words that other members write without waking this PE. Throws Failure.
void look_again(Waiting* waiting);

}  // namespace syncline
