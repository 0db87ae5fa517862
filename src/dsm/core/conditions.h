// SPDX-License-Identifier: BSD-3-Clause
// Condition variables and flags, by number, by which processes wait for an act of another process. Each has a set of
// waiters at its home, a bit for each process. Each process has a word for each of them, to which others add in order
// to wake it. So a waiter polls its own memory only.
//
// Shared words: any process changes the set, by fetch&or and fetch&and or compare&swap. The process that has taken a
// bit adds to `wake` after that. A waiter remembers its word before it sets its bit. The last thread that goes on
// clears its process's bit, so that no signal is lost on a process in which no thread waits; the other threads leave
// the bit, because it may belong to a thread that has come since. A flag's value lies at the flag's home; the holder of
// the flag's lock reads and writes it.
#pragma once

#include <cstdint>
#include <map>

#include "base/spin_lock.h"
#include "dsm/core/remote.h"

namespace syncline::dsm {

class Conditions {
  public:
    Conditions(const Remote* remote, const Layout* layout, uint32_t locks)
        : remote_(remote), layout_(layout), locks_(locks) {}

    // `number`: a condition below `locks`, a flag above. Call prepare() before giving the lock back, and wait() after
    // it.
    uint64_t prepare(uint32_t number);
    void wait(uint32_t number, uint64_t prepared);
    bool is_woken(uint32_t number, uint64_t prepared) const {
        return __atomic_load_n(remote_->own_word(wake(number)), __ATOMIC_ACQUIRE) != prepared;
    }
    void wake_one(uint32_t number);
    void wake_all(uint32_t number);

    uint64_t flag(uint32_t flag) const;
    void set_flag(uint32_t flag, uint64_t to) const;

  private:
    uint32_t home(uint32_t number) const { return number % locks_ % remote_->processes(); }
    uint32_t words() const { return (remote_->processes() + 63) / 64; }
    uint64_t set(uint32_t number, uint32_t process) const;
    uint64_t wake(uint32_t number) const { return layout_->wakes + uint64_t{number} * 8; }
    uint64_t value(uint32_t flag) const { return layout_->flags + uint64_t{flag / remote_->processes()} * 8; }
    void wake_process(uint32_t number, uint32_t process) { remote_->fetch_add(process, wake(number), 1); }

    const Remote* const remote_;
    const Layout* const layout_;
    const uint32_t locks_;
    SpinLock guard_;                        // orders this process's threads; held while a request waits for its answer
    std::map<uint32_t, uint32_t> waiters_;  // number of waiting threads for each number
};

}  // namespace syncline::dsm
