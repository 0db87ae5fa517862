// SPDX-License-Identifier: BSD-3-Clause
// All kinds of locks behind one set of calls.
#pragma once

#include <memory>

#include "runtime/lock/lock.h"
#include "runtime/lock/rw_lock.h"
#include "runtime/lock/semaphore.h"

namespace syncline::deterministic {

enum class LockKind { kMcs, kLocalRelease, kTicket, kHybrid, kReadersWriter, kSemaphore };
constexpr int lock_kinds = 6;
constexpr const char* const lock_names[lock_kinds] = {"mcs", "local_release", "ticket", "hybrid", "rw", "semaphore"};

constexpr bool is_queue(LockKind kind) {
    return kind != LockKind::kTicket && kind != LockKind::kHybrid;
}

class AnyLock {
  public:
    // Prepares the lock's words at the home; a semaphore begins with `units`.
    AnyLock(LockKind kind, Endpoint* endpoint, syncline_address_t base, int home, uint32_t units);

    int acquire(bool reader, uint64_t deadline_ns);
    int try_acquire(bool reader);
    int release();
    // May be called by the holder of a kLocalRelease only.
    int last_holder() const;

  private:
    std::unique_ptr<Lock> lock_;
    std::unique_ptr<Semaphore> semaphore_;
};

}  // namespace syncline::deterministic
