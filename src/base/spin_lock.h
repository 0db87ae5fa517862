// SPDX-License-Identifier: BSD-3-Clause
// A lock for short sections that costs nothing while the process has one thread.
//
// Guarantee: mutual exclusion; unlock (release) pairs with the next lock (acquire). No fairness. While glibc says that
// there is only one thread, the word is set by a plain store; a thread that is created inside the section still finds
// it taken.
#pragma once

#include <sys/single_threaded.h>

#include <atomic>
#include <cstdint>

#include "base/check.h"
#include "base/os.h"

namespace syncline {

class SpinLock {
  public:
    void lock() {
        if (__builtin_expect(!try_lock(), 0)) {
            wait();
        }
    }
    bool try_lock() {
        if (__libc_single_threaded) {
            SYNCLINE_CHECK(taken_.load(std::memory_order_relaxed) == 0, "the only thread has the lock already");
            taken_.store(1, std::memory_order_relaxed);
            return true;
        }
        return taken_.exchange(1, std::memory_order_acquire) == 0;
    }
    void unlock() {
        SYNCLINE_CHECK(taken_.load(std::memory_order_relaxed) == 1, "the lock is free");
        taken_.store(0, std::memory_order_release);
    }

  private:
    // A function of its own, so that a caller that finds the lock free saves no registers for it.
    [[gnu::noinline, gnu::cold]] void wait() {
        uint32_t spins = 0;
        do {
            if (spins++ % 64 == 63) {
                yield_cpu();
            } else {
                cpu_relax();
            }
        } while (taken_.exchange(1, std::memory_order_acquire) != 0);
    }

    std::atomic<uint32_t> taken_{0};
};

}  // namespace syncline
