// SPDX-License-Identifier: BSD-3-Clause
#include "tests/deterministic/any_lock.h"

#include "runtime/lock/hybrid_lock.h"
#include "runtime/lock/local_release_lock.h"
#include "runtime/lock/mcs_lock.h"
#include "runtime/lock/ticket_lock.h"

namespace syncline::deterministic {
namespace {

std::unique_ptr<Lock> make_lock(LockKind kind, Endpoint* endpoint, syncline_address_t base, int home) {
    switch (kind) {
        case LockKind::kMcs:
            return std::make_unique<McsLock>(endpoint, base, home);
        case LockKind::kLocalRelease:
            return std::make_unique<LocalReleaseLock>(endpoint, base, home);
        case LockKind::kTicket:
            return std::make_unique<TicketLock>(endpoint, base, home);
        case LockKind::kHybrid:
            return std::make_unique<HybridLock>(endpoint, base, home);
        default:
            return std::make_unique<RwLock>(endpoint, base, home);
    }
}

}  // namespace

AnyLock::AnyLock(LockKind kind, Endpoint* endpoint, syncline_address_t base, int home, uint32_t units) {
    if (kind != LockKind::kSemaphore) {
        lock_ = make_lock(kind, endpoint, base, home);
        return;
    }
    semaphore_ = std::make_unique<Semaphore>(endpoint, base, home);
    if (static_cast<int>(endpoint->rank()) == home) {
        semaphore_->fill(units);
    }
}

int AnyLock::acquire(bool reader, uint64_t deadline_ns) {
    RwLock::as_reader(reader);
    return lock_ ? lock_->acquire(deadline_ns) : semaphore_->acquire(deadline_ns);
}

int AnyLock::try_acquire(bool reader) {
    RwLock::as_reader(reader);
    return lock_ ? lock_->try_acquire() : semaphore_->try_acquire();
}

int AnyLock::last_holder() const {
    return static_cast<const LocalReleaseLock&>(*lock_).last_holder();
}

int AnyLock::release() {
    return lock_ ? lock_->release() : semaphore_->release(1);
}

}  // namespace syncline::deterministic
