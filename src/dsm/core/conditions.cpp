// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/core/conditions.h"

#include <bit>
#include <mutex>

#include "base/check.h"
#include "runtime/endpoint/word_wait.h"

namespace syncline::dsm {

// Returns the offset of the word that holds a process's bit.
uint64_t Conditions::set(uint32_t number, uint32_t process) const {
    const uint64_t place = uint64_t{number % locks_ / remote_->processes()} * 2 + number / locks_;
    return layout_->conditions + (place * words() + process / 64) * 8;
}

uint64_t Conditions::prepare(uint32_t number) {
    const std::lock_guard<SpinLock> guard(guard_);
    waiters_[number]++;
    const uint64_t seen = __atomic_load_n(remote_->own_word(wake(number)), __ATOMIC_ACQUIRE);
    const uint32_t me = remote_->me();
    remote_->fetch_or(home(number), set(number, me), uint64_t{1} << (me % 64));
    return seen;
}

void Conditions::wait(uint32_t number, uint64_t prepared) {
    remote_->check(wait_until64(&remote_->endpoint(), remote_->own_word(wake(number)), SYNCLINE_NE, prepared, -1));
    const std::lock_guard<SpinLock> guard(guard_);
    SYNCLINE_ASSERT(waiters_[number] != 0, "condition %u", number);
    if (--waiters_[number] == 0) {
        const uint32_t me = remote_->me();
        remote_->fetch_and(home(number), set(number, me), ~(uint64_t{1} << (me % 64)));
    }
}

void Conditions::wake_one(uint32_t number) {
    for (uint32_t first = 0; first < remote_->processes(); first += 64) {
        uint64_t bits = 0;
        remote_->get(home(number), set(number, first), &bits, sizeof(bits));
        while (bits != 0) {
            const uint64_t rest = bits & (bits - 1);
            const uint64_t old = remote_->compare_swap(home(number), set(number, first), bits, rest);
            if (old == bits) {
                wake_process(number, first + static_cast<uint32_t>(std::countr_zero(bits)));
                return;
            }
            bits = old;
        }
    }
}

void Conditions::wake_all(uint32_t number) {
    for (uint32_t first = 0; first < remote_->processes(); first += 64) {
        uint64_t bits = remote_->fetch_and(home(number), set(number, first), 0);
        for (; bits != 0; bits &= bits - 1) {
            wake_process(number, first + static_cast<uint32_t>(std::countr_zero(bits)));
        }
    }
}

uint64_t Conditions::flag(uint32_t flag) const {
    uint64_t seen = 0;
    remote_->get(flag % remote_->processes(), value(flag), &seen, sizeof(seen));
    return seen;
}

void Conditions::set_flag(uint32_t flag, uint64_t to) const {
    remote_->put(flag % remote_->processes(), value(flag), &to, sizeof(to));
}

}  // namespace syncline::dsm
