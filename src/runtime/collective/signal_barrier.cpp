// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collective/signal_barrier.h"

#include <bit>

#include "base/check.h"
#include "firmware/native.h"
#include "runtime/ground/error_text.h"

namespace syncline {

SignalBarrier::SignalBarrier(Signals* signals, int members, int me, uint64_t first_round)
    : signals_(signals),
      members_(members),
      me_(me),
      power_(static_cast<int>(std::bit_floor(static_cast<unsigned>(members)))),
      round_(first_round - 1) {
    SYNCLINE_ASSERT(members >= 1 && me < members, "member %d of %d", me, members);
    SYNCLINE_ASSERT(power_ <= members_ && 2 * power_ > members_, "%d of %d members", power_, members_);
}

uint32_t SignalBarrier::steps() const {
    if (with_value_) {
        return static_cast<uint32_t>(std::countr_zero(static_cast<unsigned>(power_))) + 2;
    }
    return static_cast<uint32_t>(std::bit_width(static_cast<unsigned>(members_ - 1)));
}

// By dissemination a member has heard of all 2^steps members behind it, and of none twice as many.
void SignalBarrier::check_step() const {
    SYNCLINE_ASSERT(step_ < steps(), "step %u of %u", step_, steps());
    SYNCLINE_CHECK(with_value_ || (1ll << steps() >= members_ && (steps() == 0 || 1ll << (steps() - 1) < members_)),
                   "%u steps of %d members", steps(), members_);
    [[maybe_unused]] const Move now = with_value_ ? move_with_value() : Move{};
    SYNCLINE_CHECK(!with_value_ || (now.to < members_ && now.from < members_ && now.to != me_ && now.from != me_),
                   "member %d sends to %d and waits for %d", me_, now.to, now.from);
    SYNCLINE_CHECK(!with_value_ || me_ < power_ || now.from == none || now.replaces, "member %d of %d combines", me_,
                   power_);
}

SignalBarrier::Move SignalBarrier::move() const {
    SYNCLINE_ASSERT(running_, "round %lu", round_);
    if (with_value_) {
        return move_with_value();
    }
    const int distance = 1 << step_;
    return {.to = (me_ + distance) % members_, .from = (me_ + members_ - distance) % members_};
}

SignalBarrier::Move SignalBarrier::move_with_value() const {
    const bool is_first = step_ == 0;
    const bool is_last = step_ + 1 == steps();
    if (me_ >= power_) {
        return is_first ? Move{.to = me_ - power_} : is_last ? Move{.from = me_ - power_, .replaces = true} : Move{};
    }
    if (is_first || is_last) {
        const int beyond = me_ + power_ < members_ ? me_ + power_ : none;
        return is_first ? Move{.from = beyond} : Move{.to = beyond};
    }
    const int partner = me_ ^ (1 << (step_ - 1));
    return {.to = partner, .from = partner};
}

int SignalBarrier::start(Reduction reduction, uint64_t value) {
    if (running_) {
        return error(SYNCLINE_ERR_INVALID, "the barrier is running; wait for it before it is started again");
    }
    reduction_ = reduction;
    with_value_ = reduction != Reduction::kNone;
    value_ = value;
    SYNCLINE_ASSERT(me_ >= 0, "member %d", me_);
    round_++;
    step_ = 0;
    running_ = true;
    return go_on();
}

// Goes on to the next step in which this PE waits, or to the end of the round.
int SignalBarrier::go_on() {
    for (; step_ < steps(); step_++) {
        check_step();
        const Move now = move();
        if (now.to != none) {
            if (const int status = signals_->send(now.to, step(), value_); status != SYNCLINE_OK) {
                return stop(status);
            }
        }
        if (now.from != none) {
            return SYNCLINE_OK;
        }
    }
    SYNCLINE_CHECK(with_value_ || 1ll << step_ >= members_, "%u steps of %d members", step_, members_);
    result_ = value_;
    return stop(SYNCLINE_OK);
}

// Both members of an exchange combine the two values in the same order.
int SignalBarrier::take_in(const Move& now, uint64_t came) {
    if (with_value_) {
        const auto how = static_cast<fw_combine>(reduction_);
        value_ = now.replaces     ? came
                 : now.from < me_ ? fw_combine_values(how, came, value_)
                                  : fw_combine_values(how, value_, came);
    }
    step_++;
    return go_on();
}

int SignalBarrier::stop(int status) {
    running_ = false;
    return status;
}

int SignalBarrier::test(int* done) {
    int status = SYNCLINE_OK;
    uint64_t came = 0;
    while (running_ && signals_->take(move().from, step(), &came)) {
        status = take_in(move(), came);
    }
    if (running_) {
        status = signals_->look_after(move().from);
        running_ = status == SYNCLINE_OK;
    }
    *done = running_ ? 0 : 1;
    return status;
}

int SignalBarrier::wait() {
    while (running_) {
        const Move now = move();
        SYNCLINE_ASSERT(now.from != none, "step %u of round %lu has no signal to wait for", step_, round_);
        uint64_t came = 0;
        int status = signals_->await(now.from, step(), &came);
        status = status == SYNCLINE_OK ? take_in(now, came) : stop(status);
        if (status != SYNCLINE_OK) {
            return status;
        }
    }
    return SYNCLINE_OK;
}

}  // namespace syncline
