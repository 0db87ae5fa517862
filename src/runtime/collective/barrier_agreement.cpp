// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/collective/barrier_agreement.h"

#include <algorithm>

#include "base/check.h"
#include "base/clock.h"
#include "base/failure.h"
#include "base/status.h"
#include "runtime/collective/job_barrier.h"
#include "runtime/ground/error_text.h"

namespace syncline {
void look_again(Waiting* waiting) {
    if (const int status = waiting->look_again(); status != SYNCLINE_OK) {
        fail(status, "{}", status_text(status));
    }
}

BarrierAgreement::BarrierAgreement(Endpoint* endpoint, BarrierHistory* history, uint32_t number,
                                   const std::vector<uint32_t>* ranks)
    : endpoint_(endpoint), history_(history), number_(number), ranks_(ranks) {}

bool BarrierAgreement::is_leader() const {
    SYNCLINE_ASSERT(!ranks_->empty(), "barrier %u has no members", number_);
    return endpoint_->rank() == ranks_->front();
}

uint64_t* BarrierAgreement::own(uint64_t offset) const {
    return endpoint_->reserved().own(RuntimeWords::barrier(number_) + offset);
}

uint64_t BarrierAgreement::read_leader(uint64_t offset) const {
    uint64_t value = 0;
    if (const int status = endpoint_->reserved().read(ranks_->front(), RuntimeWords::barrier(number_) + offset, &value);
        status != SYNCLINE_OK) {
        fail(status, "PE {}, the first member of barrier {}: {}", ranks_->front(), number_, status_text(status));
    }
    return value;
}

bool BarrierAgreement::is_gone(uint32_t rank) const {
    return endpoint_->reserved().probe(rank) != SYNCLINE_OK;
}

int BarrierAgreement::complain(int status) const {
    return error(status, "barrier {}: {}", number_,
                 status == SYNCLINE_ERR_PEER ? "a member is gone, so it cannot complete" : status_text(status));
}

// Returns an FNV-1a hash of all arguments that must be equal at all members.
uint32_t BarrierAgreement::digest(const Barrier::Options& options) const {
    uint32_t hash = 2166136261u;
    const auto add = [&](uint32_t value) { hash = (hash ^ value) * 16777619u; };
    for (const uint32_t rank : *ranks_) {
        add(rank);
    }
    add(static_cast<uint32_t>(options.algorithm));
    add(options.dimension);
    add(options.host);
    return hash;
}

uint64_t BarrierAgreement::open(const Barrier::Options& options, const std::function<uint64_t()>& choose) {
    if (is_leader()) {
        announce(digest(options), choose());
    } else {
        await_announcement(digest(options));
    }
    const uint64_t choice = is_leader() ? load_word(own(BarrierWords::choice)) : read_leader(BarrierWords::choice);
    history_->set_last_instance(number_, ranks_->front(), instance_);
    return choice;
}

void BarrierAgreement::announce(uint32_t digest, uint64_t choice) {
    const uint64_t count = (load_word(own(BarrierWords::announced)) >> 32 & 0xffff) + 1;
    instance_ = endpoint_->rank() << 16 | static_cast<uint32_t>(count & 0xffff);
    base_ = load_word(own(BarrierWords::closed));
    __atomic_store_n(own(BarrierWords::base), base_, __ATOMIC_SEQ_CST);
    __atomic_store_n(own(BarrierWords::choice), choice, __ATOMIC_SEQ_CST);
    __atomic_store_n(own(BarrierWords::entered), uint64_t{instance_} << 32, __ATOMIC_SEQ_CST);
    __atomic_store_n(own(BarrierWords::announced), uint64_t{instance_} << 32 | digest, __ATOMIC_SEQ_CST);
}

// The leader's announcement of an earlier barrier with the same members is still there.
void BarrierAgreement::await_announcement(uint32_t digest) {
    const uint32_t last = history_->last_instance(number_, ranks_->front());
    const Waiting::Aim aim = {WaitFor::kOpening, static_cast<int>(ranks_->front()), number_};
    Waiting::Noted noted(endpoint_->attachment().trace(), aim);
    for (;;) {
        const uint64_t announced = read_leader(BarrierWords::announced);
        const auto instance = static_cast<uint32_t>(announced >> 32);
        if (announced != 0 && static_cast<uint32_t>(announced) == digest && instance != last) {
            instance_ = instance;
            (void)noted.end(SYNCLINE_OK);
            break;
        }
        if (endpoint_->attachment().trace().is_on()) {
            noted.begin(now_ns());
        }
        look_again(&endpoint_->waiting());
    }
    base_ = read_leader(BarrierWords::base);
}

// A member that dies never does its part.
bool BarrierAgreement::await_leader(uint64_t offset, const State& state,
                                    const std::function<bool(uint64_t)>& done) const {
    uint64_t next_probe_ns = now_ns() + probe_interval_ns;
    while (!done(read_leader(offset))) {
        if (now_ns() >= next_probe_ns) {
            if (std::any_of(ranks_->begin(), ranks_->end(), [&](uint32_t rank) { return is_gone(rank); })) {
                state.break_it();
            }
            next_probe_ns = now_ns() + probe_interval_ns;
        }
        if (!state.is_open()) {
            return false;
        }
        look_again(&endpoint_->waiting());
    }
    return true;
}

int BarrierAgreement::close(const State& state) {
    AtomicCall add = {.operation = SYNCLINE_ADD | SYNCLINE_64,
                      .rank = static_cast<int>(ranks_->front()),
                      .target = RuntimeWords::barrier(number_) + BarrierWords::closed,
                      .operand = {1, 0},
                      .runtime = true};
    SYNCLINE_ASSERT(instance_ != 0, "barrier %u was never open", number_);
    if (const int status = endpoint_->atomics().execute(add); status != SYNCLINE_OK) {
        return status;
    }
    const auto all_have = [&](uint64_t closed) { return closed - base_ >= ranks_->size(); };
    try {
        return await_leader(BarrierWords::closed, state, all_have) ? static_cast<int>(SYNCLINE_OK)
                                                                   : complain(SYNCLINE_ERR_PEER);
    } catch (const Failure& failure) {
        state.break_it();
        return error(failure.status(), "{}", failure.what());
    }
}

}  // namespace syncline
