// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/lock/ticket_lock.h"

#include <algorithm>
#include <ranges>

#include "base/check.h"

namespace syncline {

namespace {
constexpr uint64_t one_ticket = 1ull << 32;

uint32_t next_of_word(uint64_t word) {
    return static_cast<uint32_t>(word >> 32);
}
uint32_t serving_of_word(uint64_t word) {
    return static_cast<uint32_t>(word);
}
}  // namespace

int TicketLock::enter(uint64_t deadline_ns) {
    if (deadline_ns != no_deadline) {
        return try_until(deadline_ns);
    }
    set_own(kTaking);
    uint64_t word = 0;
    if (const int status = words_.fetch_add(home_, at(LockLayout::tail), one_ticket, &word); status != SYNCLINE_OK) {
        return broken_by(status);
    }
    SYNCLINE_CHECK(own() == kTaking, "own word %lu", own());
    const uint32_t ticket = next_of_word(word);
    set_own(uint64_t{ticket} + kFirst);
    return ticket == serving_of_word(word) ? SYNCLINE_OK : await(ticket, serving_of_word(word));
}

int TicketLock::await(uint32_t ticket, uint32_t serving) {
    waited_++;
    if (broken_at_home()) {
        return break_lock();
    }
    uint64_t check_at = now_ns() + Watch::patience_ns;
    for (;;) {
        if (const int paused = words_.pause(std::min(uint64_t{ticket - serving} * pause_ns, pause_ns_max));
            paused != SYNCLINE_OK) {
            return paused;
        }
        uint64_t word = 0;
        if (const int status = words_.get(home_, at(LockLayout::tail), &word); status != SYNCLINE_OK) {
            return broken_by(status);
        }
        if (serving_of_word(word) == ticket) {
            return SYNCLINE_OK;
        }
        if (serving_of_word(word) != serving) {
            check_at = now_ns() + Watch::patience_ns;
        } else if (now_ns() >= check_at) {
            if (const int status = check(serving); status != SYNCLINE_OK) {
                return status;
            }
            check_at = now_ns() + Watch::patience_ns;
        }
        serving = serving_of_word(word);
    }
}

// Checks whether the holder of the served ticket has died.
int TicketLock::check(uint32_t serving) {
    if (broken_at_home()) {
        return break_lock();
    }
    const Roll roll = call_roll(std::views::iota(0, words_.size()), LockLayout::own,
                                [&](uint64_t own) { return own == kTaking || own == uint64_t{serving} + kFirst; });
    if (!roll.somebody_is_gone || roll.matching != 0) {
        return SYNCLINE_OK;
    }
    uint64_t word = 0;
    if (const int status = words_.get(home_, at(LockLayout::tail), &word); status != SYNCLINE_OK) {
        return broken_by(status);
    }
    return serving_of_word(word) == serving ? break_lock() : SYNCLINE_OK;
}

int TicketLock::try_enter() {
    uint64_t word = 0;
    if (const int status = words_.get(home_, at(LockLayout::tail), &word); status != SYNCLINE_OK) {
        return broken_by(status);
    }
    if (next_of_word(word) != serving_of_word(word)) {
        if (const uint64_t now = now_ns(); now >= next_check_ns_) {
            next_check_ns_ = now + Watch::patience_ns;
            const int status = check(serving_of_word(word));
            return status == SYNCLINE_OK ? static_cast<int>(SYNCLINE_ERR_BUSY) : status;
        }
        return SYNCLINE_ERR_BUSY;
    }
    set_own(kTaking);
    uint64_t found = 0;
    const int status = words_.compare_swap(home_, at(LockLayout::tail), word, word + one_ticket, &found);
    set_own(found == word ? uint64_t{next_of_word(word)} + kFirst : kNone);
    if (status != SYNCLINE_OK) {
        return broken_by(status);
    }
    return found == word ? SYNCLINE_OK : SYNCLINE_ERR_BUSY;
}

// The lock serves this PE's ticket until this PE leaves.
void TicketLock::check_entered() const {
#ifdef SYNCLINE_CHECKS
    const uint64_t ticket = own() - kFirst;
    SYNCLINE_CHECK(ticket <= UINT32_MAX, "own word %lu", own());
    if (const uint64_t* const word = words_.mapped(home_, at(LockLayout::tail)); word != nullptr) {
        const uint32_t serving = serving_of_word(__atomic_load_n(word, __ATOMIC_ACQUIRE));
        SYNCLINE_CHECK_SHARED(serving == ticket, "ticket %lu, and %u is served", ticket, serving);
    }
#endif
}

// `own` says that this PE has the ticket until another PE is served: see check().
int TicketLock::leave() {
    const int status = words_.add32(home_, at(LockLayout::tail), 1);
    set_own(kNone);
    return status == SYNCLINE_OK ? status : broken_by(status);
}

}  // namespace syncline
