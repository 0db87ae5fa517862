// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collective/numbered_barrier.h"

#include <algorithm>

#include "base/check.h"
#include "base/clock.h"
#include "base/failure.h"
#include "base/status.h"
#include "runtime/ground/error_text.h"

namespace syncline {
namespace {

static_assert(SignalWords::of(SLW_BARRIERS_MAX, RuntimeWords::counted_pes) <= heap_reserved_bytes &&
              SignalWords::of(SLW_BARRIERS_MAX, SLW_RANKS_MAX) <= heap_reserved_bytes);

uint32_t words_of(const Signals::Step& step) {
    return step.with_value ? 2 : 1;
}

uint64_t tagged(uint64_t round, uint64_t half) {
    const uint64_t tag = round % UINT32_MAX + 1;  // never 0, as a clear word is
    return tag << 32 | (half & UINT32_MAX);
}

}  // namespace

NumberedSignals::NumberedSignals(Endpoint* endpoint, BarrierHistory* history, uint32_t number,
                                 std::vector<uint32_t> ranks)
    : endpoint_(endpoint),
      history_(history),
      number_(number),
      ranks_(std::move(ranks)),
      agreement_(endpoint, history, number, &ranks_) {
    if (!history_->take_signals(number_)) {
        fail(SYNCLINE_ERR_BUSY, "barrier {} is still open at this PE; close it first, or use another number", number_);
    }
    try {
        open();
    } catch (const Failure&) {
        break_it();
        end();
        throw;
    }
}

NumberedSignals::~NumberedSignals() {
    end();
}

// The answers to the last signals may still be missing.
void NumberedSignals::end() {
    (void)endpoint_->waiting().finish(&sent_);
    history_->give_back_signals(number_);
}

int NumberedSignals::me() const {
    const auto found = std::find(ranks_.begin(), ranks_.end(), endpoint_->rank());
    SYNCLINE_ASSERT(found != ranks_.end(), "PE %u is no member of barrier %u", endpoint_->rank(), number_);
    return static_cast<int>(found - ranks_.begin());
}

void NumberedSignals::open() {
    constexpr uint64_t signals = uint64_t{SYNCLINE_BARRIER_SIGNALS} << 32;
    const uint64_t choice = agreement_.open({.algorithm = SYNCLINE_BARRIER_SIGNALS}, [&] { return signals; });
    if (choice != signals) {
        fail(SYNCLINE_ERR_PROTOCOL, "PE {}, the first member of barrier {}, announces a barrier of another kind",
             ranks_[0], number_);
    }
    clear();
    while (!enter()) {
        look_again(&endpoint_->waiting());
    }
    await_members();
}

void NumberedSignals::clear() {
    uint64_t* const words = endpoint_->reserved().own(SignalWords::of(number_, endpoint_->size()));
    for (uint64_t i = 0; i < SignalWords::bytes(endpoint_->size()) / sizeof(uint64_t); i++) {
        __atomic_store_n(words + i, 0, __ATOMIC_SEQ_CST);
    }
}

// Adds this PE to the members that have come. Returns false if another member was faster.
bool NumberedSignals::enter() {
    const uint64_t seen = agreement_.read_leader(BarrierWords::entered);
    if (seen >> 32 != agreement_.instance()) {
        fail(SYNCLINE_ERR_PEER, "barrier {}: the first member has given up its opening", number_);
    }
    uint64_t before = 0;
    AtomicCall add = {.operation = SYNCLINE_CAS | SYNCLINE_64 | SYNCLINE_FETCH,
                      .rank = static_cast<int>(ranks_[0]),
                      .target = RuntimeWords::barrier(number_) + BarrierWords::entered,
                      .operand = {seen + 1, 0},
                      .comparand = {seen, 0}};
    add.result = &before;
    add.runtime = true;
    if (const int status = endpoint_->atomics().execute(add); status != SYNCLINE_OK) {
        fail(status, "PE {}, the first member of barrier {}: {}", ranks_[0], number_, status_text(status));
    }
    return before == seen;
}

void NumberedSignals::await_members() {
    const uint64_t instance = agreement_.instance();
    const uint64_t all = instance << 32 | ranks_.size();
    uint64_t entered = 0;
    const bool open = agreement_.await_leader(BarrierWords::entered, state(), [&](uint64_t word) {
        entered = word;
        return word == all || word >> 32 != instance;
    });
    if (!open || entered != all) {
        fail(SYNCLINE_ERR_PEER, "barrier {}: a member is gone, so it cannot open", number_);
    }
}

syncline_address_t NumberedSignals::place(const Step& step) const {
    SYNCLINE_CHECK((2 * uint64_t{step.number} + 2) * SignalWords::place_bytes <= SignalWords::bytes(endpoint_->size()),
                   "step %u of %u PEs", step.number, endpoint_->size());
    return SignalWords::of(number_, endpoint_->size()) +
           (2 * uint64_t{step.number} + (step.round & 1)) * SignalWords::place_bytes;
}

int NumberedSignals::send(int member, const Step& step, uint64_t value) {
    SYNCLINE_ASSERT(member >= 0 && static_cast<size_t>(member) < ranks_.size(), "member %d of %zu", member,
                    ranks_.size());
    SYNCLINE_CHECK(place(step) != place({step.round + 1, step.number, step.with_value}),
                   "step %u has one place for all rounds", step.number);
    if (is_broken()) {
        return complain(SYNCLINE_ERR_PEER);
    }
    const uint64_t words[] = {tagged(step.round, value), tagged(step.round, value >> 32)};
    const int status =
        endpoint_->reserved().store_to(&sent_, ranks_[static_cast<size_t>(member)], place(step), words, words_of(step));
    if (status == SYNCLINE_ERR_PEER) {
        break_it();
    }
    return status == SYNCLINE_OK ? status : complain(status);
}

bool NumberedSignals::take(int, const Step& step, uint64_t* value) {
    const uint64_t* const words = endpoint_->reserved().own(place(step));
    *value = 0;
    for (uint32_t half = 0; half < words_of(step); half++) {
        const uint64_t word = __atomic_load_n(words + half, __ATOMIC_ACQUIRE);
        if (word >> 32 != tagged(step.round, 0) >> 32) {
            return false;
        }
        *value |= (word & UINT32_MAX) << (32 * half);
    }
    return true;
}

int NumberedSignals::await(int member, const Step& step, uint64_t* value) {
    const Waiting::Aim aim = {WaitFor::kBarrier, static_cast<int>(ranks_[static_cast<size_t>(member)]), number_};
    for (;;) {
        bool taken = false;
        const auto over = [&] {
            taken = take(member, step, value);
            return taken || is_broken();
        };
        const int waited = endpoint_->waiting().wait_for(over, now_ns() + probe_interval_ns, aim);
        if (taken) {
            return SYNCLINE_OK;
        }
        if (waited != SYNCLINE_ERR_TIMEOUT) {
            return complain(waited == SYNCLINE_OK ? static_cast<int>(SYNCLINE_ERR_PEER) : waited);
        }
        ask(member);
    }
}

int NumberedSignals::look_after(int member) {
    endpoint_->fabrics().progress();
    if (++looks_ % 64 != 0) {
        return SYNCLINE_OK;
    }
    if (const int status = endpoint_->waiting().look_again(); status != SYNCLINE_OK) {
        return complain(status);
    }
    const uint64_t now = now_ns();
    if (now >= next_probe_ns_) {
        if (next_probe_ns_ != 0) {
            ask(member);
        }
        next_probe_ns_ = now_ns() + probe_interval_ns;
    }
    return is_broken() ? complain(SYNCLINE_ERR_PEER) : static_cast<int>(SYNCLINE_OK);
}

bool NumberedSignals::is_broken() const {
    return __atomic_load_n(agreement_.own(BarrierWords::broken), __ATOMIC_ACQUIRE) == agreement_.instance();
}

// Asks a member whether it is there, and one more in turn: the member may itself have found out that another one is
// gone, and stay away for that reason.
void NumberedSignals::ask(int member) {
    if (agreement_.is_gone(ranks_[static_cast<size_t>(member)]) ||
        agreement_.is_gone(ranks_[probes_++ % ranks_.size()])) {
        break_it();
    }
}

void NumberedSignals::break_it() {
    const uint64_t instance = agreement_.instance();
    if (instance == 0) {
        return;  // no member knows it yet
    }
    __atomic_store_n(agreement_.own(BarrierWords::broken), instance, __ATOMIC_RELEASE);
    for (const uint32_t rank : ranks_) {
        (void)endpoint_->reserved().store_to(&sent_, rank, RuntimeWords::barrier(number_) + BarrierWords::broken,
                                             &instance, 1);
    }
}

int NumberedSignals::close() {
    if (is_broken()) {
        return complain(SYNCLINE_ERR_PEER);
    }
    return agreement_.close(state());
}

}  // namespace syncline
