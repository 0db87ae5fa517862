// SPDX-License-Identifier: BSD-3-Clause
// The locks of the native C API (include/syncline.h) over the sync layer.
#include <cstring>

#include "api/native/guard.h"
#include "runtime/lock/hybrid_lock.h"
#include "runtime/lock/local_release_lock.h"
#include "runtime/lock/mcs_lock.h"
#include "runtime/lock/rw_lock.h"
#include "runtime/lock/semaphore.h"
#include "runtime/lock/ticket_lock.h"
#include "syncline.h"

struct syncline_lock {
    std::unique_ptr<syncline::Lock> lock;
};
struct syncline_rwlock {
    syncline_rwlock(syncline::Endpoint* endpoint, syncline_address_t base, int home) : lock(endpoint, base, home) {}
    syncline::RwLock lock;
};
struct syncline_semaphore {
    syncline_semaphore(syncline::Endpoint* endpoint, syncline_address_t base, int home)
        : semaphore(endpoint, base, home) {}
    syncline::Semaphore semaphore;
};

namespace {

using syncline::error;
using syncline::LockLayout;
using syncline::process;

template <typename Object, typename Body>
int with(const char* what, Object* object, Body&& body) {
    return syncline::guarded(what, [&] {
        return object == nullptr
                   ? error(SYNCLINE_ERR_INVALID, "{}: the lock or semaphore, or the place for it, is NULL", what)
                   : body();
    });
}

uint64_t deadline(int64_t timeout_us) {
    const uint64_t now = syncline::now_ns();
    const bool never = timeout_us < 0 || static_cast<uint64_t>(timeout_us) >= (UINT64_MAX - now) / syncline::ns_per_us;
    return never ? syncline::no_deadline : now + static_cast<uint64_t>(timeout_us) * syncline::ns_per_us;
}

// Symmetric words, zeroed everywhere, and the object that `make` puts over them, known to the process.
template <typename Object, typename Make>
int create(const char* what, int home, Object** result, Make&& make) {
    return with(what, result, [&] {
        if (home < 0 || home >= syncline_size()) {
            return error(SYNCLINE_ERR_RANK, "{}: there is no PE {} in a job of {} that could be the home", what, home,
                         syncline_size());
        }
        syncline_address_t base = 0;
        const size_t bytes = LockLayout::bytes_for(syncline_size());
        if (const int status = syncline_alloc(bytes, 128, &base); status != SYNCLINE_OK) {
            return status;
        }
        std::memset(syncline_local(base), 0, bytes);
        std::shared_ptr<Object> object = make(&process->endpoint(), base);
        const int status = syncline_barrier();
        if (status == SYNCLINE_OK) {
            const std::lock_guard<std::mutex> guard(process->sync_guard_);
            *result = object.get();
            process->sync_.emplace(object.get(), std::move(object));
        }
        return status;
    });
}

// After the barrier nobody uses the words any more, and what is under way towards them is complete.
template <typename Object>
int destroy(const char* what, Object* object, bool held, syncline_address_t base) {
    if (held) {
        return error(SYNCLINE_ERR_INVALID, "{}: this PE still has the lock at address {:#x}; release it first", what,
                     base);
    }
    const int met = syncline_barrier();
    {
        const std::lock_guard<std::mutex> guard(process->sync_guard_);
        process->sync_.erase(object);
    }
    return met == SYNCLINE_OK ? syncline_free(base) : met;
}

std::unique_ptr<syncline::Lock> make_lock(int kind, int home, syncline::Endpoint* endpoint, syncline_address_t base) {
    switch (kind) {
        case SYNCLINE_LOCK_MCS:
            return std::make_unique<syncline::McsLock>(endpoint, base, home);
        case SYNCLINE_LOCK_LOCAL_RELEASE:
            return std::make_unique<syncline::LocalReleaseLock>(endpoint, base, home);
        case SYNCLINE_LOCK_TICKET:
            return std::make_unique<syncline::TicketLock>(endpoint, base, home);
        default:
            return std::make_unique<syncline::HybridLock>(endpoint, base, home);
    }
}

int acquire_as(const char* what, syncline_rwlock_t* lock, bool reader, int64_t timeout_us) {
    return with(what, lock, [&] {
        syncline::RwLock::as_reader(reader);
        return lock->lock.acquire(what, deadline(timeout_us));
    });
}

int try_as(const char* what, syncline_rwlock_t* lock, bool reader) {
    return with(what, lock, [&] {
        syncline::RwLock::as_reader(reader);
        return lock->lock.try_acquire(what);
    });
}

}  // namespace

extern "C" {

int syncline_lock_create(int kind, int home, syncline_lock_t** lock) {
    const char* const what = "syncline_lock_create";
    if (process != nullptr && (kind < SYNCLINE_LOCK_MCS || kind > SYNCLINE_LOCK_HYBRID)) {
        return error(SYNCLINE_ERR_INVALID, "{}: {} is no kind of lock", what, kind);
    }
    return create(what, home, lock, [&](syncline::Endpoint* endpoint, syncline_address_t base) {
        return std::make_shared<syncline_lock>(make_lock(kind, home, endpoint, base));
    });
}

int syncline_lock_destroy(syncline_lock_t* lock) {
    const char* const what = "syncline_lock_destroy";
    return with(what, lock, [&] { return destroy(what, lock, lock->lock->held(), lock->lock->base()); });
}

int syncline_lock_acquire(syncline_lock_t* lock) {
    const char* const what = "syncline_lock_acquire";
    return with(what, lock, [&] { return lock->lock->acquire(what, syncline::no_deadline); });
}

int syncline_lock_try_acquire(syncline_lock_t* lock) {
    const char* const what = "syncline_lock_try_acquire";
    return with(what, lock, [&] { return lock->lock->try_acquire(what); });
}

int syncline_lock_acquire_timed(syncline_lock_t* lock, int64_t timeout_us) {
    const char* const what = "syncline_lock_acquire_timed";
    return with(what, lock, [&] { return lock->lock->acquire(what, deadline(timeout_us)); });
}

int syncline_lock_release(syncline_lock_t* lock) {
    const char* const what = "syncline_lock_release";
    return with(what, lock, [&] { return lock->lock->release(what); });
}

int syncline_lock_get_counts(const syncline_lock_t* lock, syncline_lock_counts_t* counts) {
    const char* const what = "syncline_lock_get_counts";
    return with(what, counts != nullptr ? lock : nullptr, [&] {
        const syncline::LockCounts now = lock->lock->counts();
        *counts = {now.acquired, now.waited, now.requests, now.inspections};
        return static_cast<int>(SYNCLINE_OK);
    });
}

int syncline_rwlock_create(int home, syncline_rwlock_t** lock) {
    return create("syncline_rwlock_create", home, lock, [&](syncline::Endpoint* endpoint, syncline_address_t base) {
        return std::make_shared<syncline_rwlock>(endpoint, base, home);
    });
}

int syncline_rwlock_destroy(syncline_rwlock_t* lock) {
    const char* const what = "syncline_rwlock_destroy";
    return with(what, lock, [&] { return destroy(what, lock, lock->lock.held(), lock->lock.base()); });
}

int syncline_rwlock_read_acquire(syncline_rwlock_t* lock) {
    return acquire_as("syncline_rwlock_read_acquire", lock, true, -1);
}

int syncline_rwlock_read_try_acquire(syncline_rwlock_t* lock) {
    return try_as("syncline_rwlock_read_try_acquire", lock, true);
}

int syncline_rwlock_read_acquire_timed(syncline_rwlock_t* lock, int64_t timeout_us) {
    return acquire_as("syncline_rwlock_read_acquire_timed", lock, true, timeout_us);
}

int syncline_rwlock_write_acquire(syncline_rwlock_t* lock) {
    return acquire_as("syncline_rwlock_write_acquire", lock, false, -1);
}

int syncline_rwlock_write_try_acquire(syncline_rwlock_t* lock) {
    return try_as("syncline_rwlock_write_try_acquire", lock, false);
}

int syncline_rwlock_write_acquire_timed(syncline_rwlock_t* lock, int64_t timeout_us) {
    return acquire_as("syncline_rwlock_write_acquire_timed", lock, false, timeout_us);
}

int syncline_rwlock_release(syncline_rwlock_t* lock) {
    const char* const what = "syncline_rwlock_release";
    return with(what, lock, [&] { return lock->lock.release(what); });
}

int syncline_semaphore_create(uint32_t units, int home, syncline_semaphore_t** semaphore) {
    const char* const what = "syncline_semaphore_create";
    if (process != nullptr && units > INT32_MAX) {
        return error(SYNCLINE_ERR_INVALID, "{}: {} units are more than {}", what, units, INT32_MAX);
    }
    return create(what, home, semaphore, [&](syncline::Endpoint* endpoint, syncline_address_t base) {
        auto made = std::make_shared<syncline_semaphore>(endpoint, base, home);
        made->semaphore.fill(units);
        return made;
    });
}

int syncline_semaphore_destroy(syncline_semaphore_t* semaphore) {
    const char* const what = "syncline_semaphore_destroy";
    return with(what, semaphore, [&] { return destroy(what, semaphore, false, semaphore->semaphore.base()); });
}

int syncline_semaphore_acquire(syncline_semaphore_t* semaphore) {
    const char* const what = "syncline_semaphore_acquire";
    return with(what, semaphore, [&] { return semaphore->semaphore.acquire(what, syncline::no_deadline); });
}

int syncline_semaphore_try_acquire(syncline_semaphore_t* semaphore) {
    const char* const what = "syncline_semaphore_try_acquire";
    return with(what, semaphore, [&] { return semaphore->semaphore.try_acquire(what); });
}

int syncline_semaphore_acquire_timed(syncline_semaphore_t* semaphore, int64_t timeout_us) {
    const char* const what = "syncline_semaphore_acquire_timed";
    return with(what, semaphore, [&] { return semaphore->semaphore.acquire(what, deadline(timeout_us)); });
}

int syncline_semaphore_release(syncline_semaphore_t* semaphore, uint32_t units) {
    const char* const what = "syncline_semaphore_release";
    return with(what, semaphore, [&] { return semaphore->semaphore.release(what, units); });
}

}  // extern "C"
