// SPDX-License-Identifier: BSD-3-Clause
// The locks of the native C API (include/syncline.h) over the runtime's.
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

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
    const syncline_lock* first = nullptr;  // of the locks that were created together, and their number
    int count = 1;
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
int with(const char* call, Object* object, Body&& body) {
    return syncline::guarded(call, [&] {
        return object == nullptr ? error(SYNCLINE_ERR_INVALID, "the lock or semaphore, or the place for it, is NULL")
                                 : body();
    });
}

uint64_t deadline(int64_t timeout_us) {
    const uint64_t now = syncline::now_ns();
    const bool never = timeout_us < 0 || static_cast<uint64_t>(timeout_us) >= (UINT64_MAX - now) / syncline::ns_per_us;
    return never ? syncline::no_deadline : now + static_cast<uint64_t>(timeout_us) * syncline::ns_per_us;
}

int check_home(int home) {
    const auto size = static_cast<int>(process->size());
    return home >= 0 && home < size
               ? static_cast<int>(SYNCLINE_OK)
               : error(SYNCLINE_ERR_RANK, "there is no PE {} in a job of {} that could be the home", home, size);
}

// Collective.
int allocate_zeros(size_t bytes, syncline_address_t* base) {
    const int status = process->allocate(bytes, 128, base);
    if (status == SYNCLINE_OK) {
        std::memset(process->endpoint().memory().local(*base), 0, bytes);
    }
    return status;
}

// Makes symmetric words, zeroed everywhere, and the object that `make` puts over them, and has the process keep it.
template <typename Object, typename Make>
int create(const char* call, int home, Object** result, Make&& make) {
    return with(call, result, [&] {
        if (const int status = check_home(home); status != SYNCLINE_OK) {
            return status;
        }
        syncline_address_t base = 0;
        const size_t bytes = LockLayout::bytes_for(static_cast<int>(process->size()));
        if (const int status = allocate_zeros(bytes, &base); status != SYNCLINE_OK) {
            return status;
        }
        std::shared_ptr<Object> object = make(&process->endpoint(), base);
        const int status = process->barrier();
        if (status == SYNCLINE_OK) {
            *result = object.get();
            process->keep(std::move(object));
        }
        return status;
    });
}

// After the barrier no PE uses the words any more, and all operations on them are complete.
template <typename Object>
int destroy(Object* object, bool held, syncline_address_t base) {
    if (held) {
        return error(SYNCLINE_ERR_INVALID, "this PE still has the lock at address {:#x}; release it first", base);
    }
    const int passed = process->barrier();
    process->forget(object);
    return passed == SYNCLINE_OK ? process->free(base) : passed;
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

int acquire_as(const char* call, syncline_rwlock_t* lock, bool reader, int64_t timeout_us) {
    return with(call, lock, [&] {
        syncline::RwLock::as_reader(reader);
        return lock->lock.acquire(deadline(timeout_us));
    });
}

int try_as(const char* call, syncline_rwlock_t* lock, bool reader) {
    return with(call, lock, [&] {
        syncline::RwLock::as_reader(reader);
        return lock->lock.try_acquire();
    });
}

// Only the hybrid lock has words for each PE.
uint64_t bytes_of(int kind) {
    return kind == SYNCLINE_LOCK_HYBRID ? LockLayout::bytes_for(static_cast<int>(process->size())) : LockLayout::bytes;
}

int create_all(int kind, const int* homes, int count, syncline_lock_t** locks) {
    if (kind < SYNCLINE_LOCK_MCS || kind > SYNCLINE_LOCK_HYBRID) {
        return error(SYNCLINE_ERR_INVALID, "{} is no kind of lock", kind);
    }
    for (int i = 0; i < count; i++) {
        if (const int status = check_home(homes[i]); status != SYNCLINE_OK) {
            return status;
        }
    }
    const uint64_t each = (bytes_of(kind) + 127) / 128 * 128;
    syncline_address_t base = 0;
    if (const int status = allocate_zeros(each * static_cast<uint64_t>(count), &base); status != SYNCLINE_OK) {
        return status;
    }
    std::vector<std::shared_ptr<syncline_lock>> made;
    for (int i = 0; i < count; i++) {
        const syncline_address_t own = base + each * static_cast<uint64_t>(i);
        made.push_back(std::make_shared<syncline_lock>(make_lock(kind, homes[i], &process->endpoint(), own),
                                                       made.empty() ? nullptr : made[0].get(), count));
    }
    const int status = process->barrier();
    for (int i = 0; i < count && status == SYNCLINE_OK; i++) {
        locks[i] = made[static_cast<size_t>(i)].get();
        process->keep(std::move(made[static_cast<size_t>(i)]));
    }
    return status;
}

int destroy_all(syncline_lock_t* const* locks, int count) {
    for (int i = 0; i < count; i++) {
        if (locks[i] == nullptr) {
            return error(SYNCLINE_ERR_INVALID, "lock {} of {} is NULL", i, count);
        }
        if (locks[i]->count != count || locks[i]->first != (i == 0 ? nullptr : locks[0])) {
            return error(SYNCLINE_ERR_INVALID,
                         "lock {} of {} is one of {} that were created together, and are destroyed together", i, count,
                         locks[i]->count);
        }
        if (locks[i]->lock->held()) {
            return error(SYNCLINE_ERR_INVALID, "this PE still has lock {} of {}, at address {:#x}; release it first", i,
                         count, locks[i]->lock->base());
        }
    }
    const syncline_address_t base = locks[0]->lock->base();
    const int passed = process->barrier();
    for (int i = 0; i < count; i++) {
        process->forget(locks[i]);
    }
    return passed == SYNCLINE_OK ? process->free(base) : passed;
}

template <typename Body>
int with_locks(const char* call, const void* locks, int count, Body&& body) {
    return syncline::guarded(call, [&] {
        if (count < 0 || (count > 0 && locks == nullptr)) {
            return error(SYNCLINE_ERR_INVALID, "{} locks{}", count, locks == nullptr ? " in a list that is NULL" : "");
        }
        return count == 0 ? static_cast<int>(SYNCLINE_OK) : body();
    });
}

}  // namespace

extern "C" {

int syncline_locks_create(int kind, const int* homes, int count, syncline_lock_t** locks) {
    return with_locks("syncline_locks_create", homes != nullptr ? locks : nullptr, count,
                      [&] { return create_all(kind, homes, count, locks); });
}

int syncline_locks_destroy(syncline_lock_t* const* locks, int count) {
    return with_locks("syncline_locks_destroy", locks, count, [&] { return destroy_all(locks, count); });
}

int syncline_lock_create(int kind, int home, syncline_lock_t** lock) {
    return with("syncline_lock_create", lock, [&] { return create_all(kind, &home, 1, lock); });
}

int syncline_lock_destroy(syncline_lock_t* lock) {
    return with("syncline_lock_destroy", lock, [&] { return destroy_all(&lock, 1); });
}

int syncline_lock_acquire(syncline_lock_t* lock) {
    return with("syncline_lock_acquire", lock, [&] { return lock->lock->acquire(syncline::no_deadline); });
}

int syncline_lock_try_acquire(syncline_lock_t* lock) {
    return with("syncline_lock_try_acquire", lock, [&] { return lock->lock->try_acquire(); });
}

int syncline_lock_acquire_timed(syncline_lock_t* lock, int64_t timeout_us) {
    return with("syncline_lock_acquire_timed", lock, [&] { return lock->lock->acquire(deadline(timeout_us)); });
}

int syncline_lock_release(syncline_lock_t* lock) {
    return with("syncline_lock_release", lock, [&] { return lock->lock->release(); });
}

int syncline_lock_get_counts(const syncline_lock_t* lock, syncline_lock_counts_t* counts) {
    return with("syncline_lock_get_counts", counts != nullptr ? lock : nullptr, [&] {
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
    return with("syncline_rwlock_destroy", lock, [&] { return destroy(lock, lock->lock.held(), lock->lock.base()); });
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
    return with("syncline_rwlock_release", lock, [&] { return lock->lock.release(); });
}

int syncline_semaphore_create(uint32_t units, int home, syncline_semaphore_t** semaphore) {
    const char* const call = "syncline_semaphore_create";
    syncline::begin_call(call);
    if (process != nullptr && units > INT32_MAX) {
        return error(SYNCLINE_ERR_INVALID, "{} units are more than {}", units, INT32_MAX);
    }
    return create(call, home, semaphore, [&](syncline::Endpoint* endpoint, syncline_address_t base) {
        auto made = std::make_shared<syncline_semaphore>(endpoint, base, home);
        made->semaphore.fill(units);
        return made;
    });
}

int syncline_semaphore_destroy(syncline_semaphore_t* semaphore) {
    return with("syncline_semaphore_destroy", semaphore,
                [&] { return destroy(semaphore, false, semaphore->semaphore.base()); });
}

int syncline_semaphore_acquire(syncline_semaphore_t* semaphore) {
    return with("syncline_semaphore_acquire", semaphore,
                [&] { return semaphore->semaphore.acquire(syncline::no_deadline); });
}

int syncline_semaphore_try_acquire(syncline_semaphore_t* semaphore) {
    return with("syncline_semaphore_try_acquire", semaphore, [&] { return semaphore->semaphore.try_acquire(); });
}

int syncline_semaphore_acquire_timed(syncline_semaphore_t* semaphore, int64_t timeout_us) {
    return with("syncline_semaphore_acquire_timed", semaphore,
                [&] { return semaphore->semaphore.acquire(deadline(timeout_us)); });
}

int syncline_semaphore_release(syncline_semaphore_t* semaphore, uint32_t units) {
    return with("syncline_semaphore_release", semaphore, [&] { return semaphore->semaphore.release(units); });
}

}  // extern "C"
