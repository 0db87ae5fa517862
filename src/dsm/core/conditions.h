// SPDX-License-Identifier: BSD-3-Clause
// Waiting for another process to say something: condition variables and flags, by number. Both have a set of waiters at
// their home, a bit for each process, and each process has a word for each of them that others add to, to wake it. So a
// waiter looks at its own memory only.
//
// Shared words: the set, any process, by fetch&or and fetch&and or compare&swap; `wake`, added to by the process that
// has taken the bit, after that. A waiter remembers its word before it sets its bit. The last thread that goes on
// clears its process's bit, so that no signal is lost on a process in which no thread waits; the others leave it,
// because it may be that of a thread that has come since. A flag's value lies at its home and is read and written by
// the holder of the flag's lock.
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

    // `number`: a condition below `locks`, a flag above. prepare() in front of giving the lock back; wait() after it.
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
    SpinLock guard_;                        // of the threads of this process; held over the network's answers
    std::map<uint32_t, uint32_t> waiters_;  // of each number
};

}  // namespace syncline::dsm
