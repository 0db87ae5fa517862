// SPDX-License-Identifier: BSD-3-Clause
// A barrier that the members run by signals to each other.
//
// Without a value: dissemination (Hensgen, Finkel, Manber 1988). In step k member i signals member i + 2^k and waits
// for member i - 2^k, modulo n; ceil(log2 n) steps. With a value: recursive doubling among the first 2^p members, the
// largest power of two; in step k + 1 members i and i xor 2^k exchange what they have combined. Member i beyond them
// gives its value to member i - 2^p in step 0, and gets the result back in the last step, p + 1. Both members of an
// exchange combine the same two values, so all members get the same bits, also of floating-point sums.
//
// Every signal that a member is sent in a round is one that it waits for in this round. So when a round is over for a
// member, no signal to it is under way, and two rounds at most are in use at a time: the one that a member waits in,
// and the next one, in which a faster member may already be.
#pragma once

#include <cstdint>

#include "runtime/collective/barrier.h"

namespace syncline {

// How the members of a barrier tell each other something, and find what they were told.
class Signals {
  public:
    // A step of a round. Rounds are numbered from 1 on.
    struct Step {
        uint64_t round;
        uint32_t number;
        bool with_value;
    };

    virtual ~Signals() = default;
    // Tells a member, which then sees all earlier writes of this PE to memory of the member's node. Returns OK, or an
    // error.
    virtual int send(int member, const Step& step, uint64_t value) = 0;
    // Returns whether a member's signal has come, and takes it.
    virtual bool take(int member, const Step& step, uint64_t* value) = 0;
    // Waits until a member's signal has come, and takes it. Returns OK, _PEER or _NODE, with a message if one is
    // wanted.
    virtual int await(int member, const Step& step, uint64_t* value) = 0;
    // Called after a take() in vain, for programs that test in a loop: makes progress, and looks for members that are
    // gone now and then. Returns OK, _PEER or _NODE.
    virtual int look_after(int) { return SYNCLINE_OK; }
};

class SignalBarrier : public Barrier {
  public:
    // `members`: their number; `me`: the index of this PE. `first_round`: the same at all members.
    SignalBarrier(Signals* signals, int members, int me, uint64_t first_round = 1);

    int start(Reduction reduction, uint64_t value) override;
    int test(int* done) override;
    int wait() override;
    uint64_t result() const override { return result_; }
    int close() override { return wait(); }
    bool is_running() const override { return running_; }

  private:
    static constexpr int none = -1;
    // A step of this PE: it tells a member, then waits for one; either may be `none`.
    struct Move {
        int to = none;
        int from = none;
        bool replaces = false;  // the value that comes is the result
    };

    // Returns the number of steps of the round, and what this PE does in the step that it is in.
    uint32_t steps() const;
    void check_step() const;
    Move move() const;
    Move move_with_value() const;
    Signals::Step step() const { return {round_, step_, with_value_}; }
    int go_on();
    int take_in(const Move& now, uint64_t came);
    int stop(int status);

    Signals* const signals_;
    const int members_;
    const int me_;
    const int power_;  // the largest power of two that is no more than members_
    uint64_t round_;
    uint32_t step_ = 0;
    bool running_ = false;
    bool with_value_ = false;
    Reduction reduction_ = Reduction::kNone;
    uint64_t value_ = 0;
    uint64_t result_ = 0;
};

}  // namespace syncline
