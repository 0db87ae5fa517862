// SPDX-License-Identifier: BSD-3-Clause
// Method: every kind of lock, with homes first and last. Mutual exclusion: in the critical section a PE reads, waits a
// little and writes back a counter at a third PE, with operations that are not atomic and not waited for; a lost
// addition or a torn pair is a violation. Order: PEs enter a queue one after the other while it is held. Timed
// waiters give up and come back at random, and the counter must still add up. Releases race with arrivals. Readers and
// holders of units are counted while they are in.
#include <cstring>

#include "contract.h"

namespace contract {
namespace {

constexpr int kinds[] = {SYNCLINE_LOCK_MCS, SYNCLINE_LOCK_LOCAL_RELEASE, SYNCLINE_LOCK_TICKET, SYNCLINE_LOCK_HYBRID};
constexpr int queueing[] = {SYNCLINE_LOCK_MCS, SYNCLINE_LOCK_LOCAL_RELEASE};

// The counter that the lock protects, at one PE.
struct Protected {
    uint64_t count;
    uint64_t owner;
    uint64_t again;  // the count once more, far away in another packet
};

// Neither atomic nor ordered, but for what the lock does: the writes are under way when the lock is released.
void add_one(int where, syncline_address_t words, Random* random) {
    Protected now = {};
    MUST(syncline_get(where, words, &now, sizeof(now)));
    EXPECT(now.count == now.again);
    now.count++;
    now.again++;
    now.owner = static_cast<uint64_t>(rank()) + 1;
    static thread_local Protected out[2];
    out[0] = now;
    syncline_request_t request = 0;
    if (random->below(2) == 0) {
        MUST(syncline_put_nb(where, words, &out[0], sizeof(now), 0, &request));
        MUST(syncline_wait(request));
    } else {
        MUST(syncline_store64(where, words + offsetof(Protected, again), now.again));
        MUST(syncline_store64(where, words + offsetof(Protected, owner), now.owner));
        MUST(syncline_store64(where, words + offsetof(Protected, count), now.count));
    }
}

void check_count(int where, syncline_address_t words, uint64_t mine) {
    const syncline_address_t sum = allocate(8);
    MUST(syncline_add64(0, sum, mine));
    MUST(syncline_barrier());
    EXPECT(read64(where, words + offsetof(Protected, count)) == read64(0, sum));
    EXPECT(read64(where, words + offsetof(Protected, again)) == read64(0, sum));
    MUST(syncline_barrier());
    MUST(syncline_free(sum));
}

void exclude(int kind, int home, int count) {
    const syncline_address_t words = allocate(sizeof(Protected));
    const int where = size() / 2;
    Random random(static_cast<uint64_t>(rank() * 100 + kind));
    syncline_lock_t* lock = nullptr;
    MUST(syncline_lock_create(kind, home, &lock));
    for (int i = 0; i < count; i++) {
        MUST(syncline_lock_acquire(lock));
        add_one(where, words, &random);
        MUST(syncline_lock_release(lock));
        if (random.below(20) == 0) {
            sleep_us(random.below(300));
        }
    }
    check_count(where, words, static_cast<uint64_t>(count));
    syncline_lock_counts_t counts = {};
    MUST(syncline_lock_get_counts(lock, &counts));
    EXPECT(counts.acquired == static_cast<uint64_t>(count) && counts.waited <= counts.acquired);
    MUST(syncline_lock_destroy(lock));
    MUST(syncline_free(words));
}

struct Inside {
    uint64_t readers;
    uint64_t writers;
    uint64_t together;  // readers have met
};

void readers_and_writers(int count) {
    const syncline_address_t words = allocate(sizeof(Inside));
    const syncline_address_t data = allocate(sizeof(Protected));
    syncline_rwlock_t* lock = nullptr;
    MUST(syncline_rwlock_create(size() - 1, &lock));
    Random random(static_cast<uint64_t>(rank()) + 5);
    uint64_t mine = 0;
    for (int i = 0; i < count; i++) {
        const bool writes = random.below(3) == 0;
        const uint64_t how = random.below(6);
        const auto timeout = static_cast<int64_t>(random.below(400));
        const int status =
            how == 0 ? (writes ? syncline_rwlock_write_try_acquire : syncline_rwlock_read_try_acquire)(lock)
            : how == 1
                ? (writes ? syncline_rwlock_write_acquire_timed : syncline_rwlock_read_acquire_timed)(lock, timeout)
                : (writes ? syncline_rwlock_write_acquire : syncline_rwlock_read_acquire)(lock);
        if (status != SYNCLINE_OK) {
            EXPECT((how == 0 && status == SYNCLINE_ERR_BUSY) || (how == 1 && status == SYNCLINE_ERR_TIMEOUT));
            continue;
        }
        uint64_t before = 0;
        MUST(syncline_fetch_add64(0, words + (writes ? offsetof(Inside, writers) : offsetof(Inside, readers)), 1,
                                  &before));
        EXPECT(!writes || before == 0);
        if (writes) {
            EXPECT(read64(0, words + offsetof(Inside, readers)) == 0);
            add_one(0, data, &random);
            mine++;
        } else {
            EXPECT(read64(0, words + offsetof(Inside, writers)) == 0);
            Protected seen = {};
            MUST(syncline_get(0, data, &seen, sizeof(seen)));
            EXPECT(seen.count == seen.again);
        }
        MUST(syncline_fetch_add64(0, words + (writes ? offsetof(Inside, writers) : offsetof(Inside, readers)),
                                  UINT64_MAX, &before));
        MUST(syncline_rwlock_release(lock));
    }
    MUST(syncline_barrier());
    check_count(0, data, mine);
    // All readers are in at the same time: each waits for all others before it leaves.
    MUST(syncline_rwlock_read_acquire(lock));
    MUST(syncline_add64(0, words + offsetof(Inside, together), 1));
    while (read64(0, words + offsetof(Inside, together)) < static_cast<uint64_t>(size())) {
        sleep_us(200);
    }
    MUST(syncline_rwlock_release(lock));
    MUST(syncline_rwlock_destroy(lock));
    MUST(syncline_free(data));
    MUST(syncline_free(words));
}

void use_semaphore(int count) {
    const uint64_t units = size() > 2 ? 2 : 1;
    const syncline_address_t words = allocate(16);
    syncline_semaphore_t* semaphore = nullptr;
    MUST(syncline_semaphore_create(static_cast<uint32_t>(units), size() / 2, &semaphore));
    Random random(static_cast<uint64_t>(rank()) + 55);
    for (int i = 0; i < count; i++) {
        const uint64_t how = random.below(6);
        const int status = how == 0 ? syncline_semaphore_try_acquire(semaphore)
                           : how == 1
                               ? syncline_semaphore_acquire_timed(semaphore, static_cast<int64_t>(random.below(400)))
                               : syncline_semaphore_acquire(semaphore);
        if (status != SYNCLINE_OK) {
            EXPECT((how == 0 && status == SYNCLINE_ERR_BUSY) || (how == 1 && status == SYNCLINE_ERR_TIMEOUT));
            continue;
        }
        uint64_t before = 0;
        MUST(syncline_fetch_add64(0, words, 1, &before));
        EXPECT(before < units);
        if (random.below(4) == 0) {
            sleep_us(random.below(200));
        }
        MUST(syncline_add64(0, words, UINT64_MAX));
        MUST(syncline_semaphore_release(semaphore, 1));
    }
    MUST(syncline_barrier());
    // All units are there again, and no more; another PE may give back.
    if (rank() == 0) {
        for (uint64_t i = 0; i < units; i++) {
            MUST(syncline_semaphore_try_acquire(semaphore));
        }
        EXPECT_ERROR(syncline_semaphore_try_acquire(semaphore), SYNCLINE_ERR_BUSY, "semaphore");
        const uint64_t start = now_us();
        EXPECT_STATUS(syncline_semaphore_acquire_timed(semaphore, 20'000), SYNCLINE_ERR_TIMEOUT);
        EXPECT(now_us() - start >= 19'000);
    }
    MUST(syncline_barrier());
    if (rank() == size() - 1) {
        MUST(syncline_semaphore_release(semaphore, static_cast<uint32_t>(size())));
    }
    MUST(syncline_semaphore_acquire(semaphore));
    MUST(syncline_barrier());
    EXPECT_STATUS(syncline_semaphore_try_acquire(semaphore), SYNCLINE_ERR_BUSY);
    MUST(syncline_semaphore_destroy(semaphore));
    MUST(syncline_free(words));
}

}  // namespace

void run_lock_exclusion() {
    for (const int kind : kinds) {
        exclude(kind, 0, repeats(20));
        exclude(kind, size() - 1, repeats(20));
    }
}

// As much contention as there can be, with nothing in the critical section: arrivals meet releases all the time.
void run_lock_race() {
    for (const int kind : kinds) {
        syncline_lock_t* lock = nullptr;
        MUST(syncline_lock_create(kind, size() / 2, &lock));
        const int count = repeats(kind == SYNCLINE_LOCK_TICKET || kind == SYNCLINE_LOCK_HYBRID ? 30 : 120);
        for (int i = 0; i < count; i++) {
            MUST(syncline_lock_acquire(lock));
            MUST(syncline_lock_release(lock));
        }
        MUST(syncline_lock_destroy(lock));
    }
}

// PE 0 has it while the others queue, each when the one before has said that it is about to, and some time later.
void run_lock_order() {
    for (const int kind : kinds) {
        const syncline_address_t words = allocate(static_cast<size_t>(size() + 2) * 8);
        auto* const turn = local(words);
        syncline_lock_t* lock = nullptr;
        MUST(syncline_lock_create(kind, size() - 1, &lock));
        if (rank() == 0) {
            MUST(syncline_lock_acquire(lock));
        }
        MUST(syncline_barrier());
        if (rank() > 0) {
            MUST(syncline_wait_until64(turn, SYNCLINE_GE, static_cast<uint64_t>(rank()) - 1, -1));
            sleep_us(100'000);
        }
        if (rank() + 1 < size() && rank() > 0) {
            MUST(syncline_store64(rank() + 1, words, static_cast<uint64_t>(rank())));
            MUST(syncline_fence(rank() + 1));
        }
        if (rank() == 0) {
            sleep_us(static_cast<uint64_t>(size()) * 120'000);
        } else {
            MUST(syncline_lock_acquire(lock));
        }
        uint64_t place = read64(0, words + 8);
        const auto me = static_cast<uint64_t>(rank());
        MUST(syncline_put(0, words + 16 + place * 8, &me, sizeof(me)));
        place++;
        MUST(syncline_put(0, words + 8, &place, 8));
        MUST(syncline_lock_release(lock));
        MUST(syncline_barrier());
        for (int i = 0; rank() == 0 && i < size(); i++) {
            EXPECT(turn[2 + i] == static_cast<uint64_t>(i));
        }
        MUST(syncline_lock_destroy(lock));
        MUST(syncline_free(words));
    }
}

// Also the requests that the header promises, seen by a PE alone and by one that takes turns.
void run_lock_requests() {
    if (size() < 2) {
        return;
    }
    struct Promise {
        int kind;
        uint64_t alone;    // acquire and release by the one that had it last
        uint64_t another;  // by one that had not, while no PE waits
    };
    const Promise promises[] = {
        {SYNCLINE_LOCK_MCS, 2, 2}, {SYNCLINE_LOCK_LOCAL_RELEASE, 1, 2}, {SYNCLINE_LOCK_TICKET, 2, 2}};
    for (const Promise& promise : promises) {
        syncline_lock_t* lock = nullptr;
        syncline_lock_counts_t before = {};
        syncline_lock_counts_t after = {};
        MUST(syncline_lock_create(promise.kind, 0, &lock));
        for (int turn = 0; turn < size(); turn++) {
            MUST(syncline_barrier());
            if (turn != rank()) {
                continue;
            }
            for (int i = 0; i < 3; i++) {
                MUST(syncline_lock_get_counts(lock, &before));
                MUST(syncline_lock_acquire(lock));
                MUST(syncline_lock_release(lock));
                MUST(syncline_lock_get_counts(lock, &after));
                // The first ever finds no node of another; nor does the home need a request to itself.
                EXPECT(rank() == 0 || after.requests - before.requests == (i == 0 ? promise.another : promise.alone));
                EXPECT(rank() != 0 || after.requests == before.requests);
            }
        }
        MUST(syncline_barrier());
        MUST(syncline_lock_destroy(lock));
    }
}

void run_lock_try() {
    for (const int kind : kinds) {
        const syncline_address_t words = allocate(sizeof(Protected));
        syncline_lock_t* lock = nullptr;
        MUST(syncline_lock_create(kind, size() / 2, &lock));
        if (rank() == 0) {
            MUST(syncline_lock_try_acquire(lock));
        }
        MUST(syncline_barrier());
        if (rank() != 0) {
            EXPECT_ERROR(syncline_lock_try_acquire(lock), SYNCLINE_ERR_BUSY, "syncline_lock_try_acquire");
            const uint64_t start = now_us();
            EXPECT_STATUS(syncline_lock_acquire_timed(lock, 30'000), SYNCLINE_ERR_TIMEOUT);
            EXPECT(now_us() - start >= 29'000);
            EXPECT_STATUS(syncline_lock_try_acquire(lock), SYNCLINE_ERR_BUSY);
            EXPECT_STATUS(syncline_lock_acquire_timed(lock, 0), SYNCLINE_ERR_TIMEOUT);
        }
        MUST(syncline_barrier());
        if (rank() == 0) {
            MUST(syncline_lock_release(lock));
        }
        MUST(syncline_barrier());
        // All places that were given up have been passed: it is free, and the words of all PEs can be used again.
        Random random(static_cast<uint64_t>(rank()) + 9);
        uint64_t mine = 0;
        for (int i = 0; i < repeats(40); i++) {
            const int status = syncline_lock_try_acquire(lock);
            EXPECT(status == SYNCLINE_OK || status == SYNCLINE_ERR_BUSY);
            if (status == SYNCLINE_OK) {
                add_one(0, words, &random);
                MUST(syncline_lock_release(lock));
                mine++;
            }
        }
        MUST(syncline_barrier());
        for (int turn = 0; turn < size(); turn++) {
            if (turn == rank()) {
                int status = syncline_lock_try_acquire(lock);
                for (int i = 0; kind == SYNCLINE_LOCK_HYBRID && status == SYNCLINE_ERR_BUSY && i < 1000; i++) {
                    sleep_us(1000);  // the server has not seen the release yet
                    status = syncline_lock_try_acquire(lock);
                }
                EXPECT_STATUS(status, SYNCLINE_OK);
                MUST(syncline_lock_release(lock));
            }
            MUST(syncline_barrier());
        }
        check_count(0, words, mine);
        MUST(syncline_lock_destroy(lock));
        MUST(syncline_free(words));
    }
}

void run_lock_timed() {
    for (const int kind : kinds) {
        const syncline_address_t words = allocate(sizeof(Protected));
        syncline_lock_t* lock = nullptr;
        MUST(syncline_lock_create(kind, size() - 1, &lock));
        Random random(static_cast<uint64_t>(rank()) + 77);
        uint64_t mine = 0;
        for (int i = 0; i < repeats(50); i++) {
            const uint64_t choice = random.below(8);
            const int status = choice == 0 ? syncline_lock_acquire(lock)
                               : choice == 1
                                   ? syncline_lock_try_acquire(lock)
                                   : syncline_lock_acquire_timed(lock, static_cast<int64_t>(random.below(200)));
            EXPECT(status == SYNCLINE_OK || (choice == 1 && status == SYNCLINE_ERR_BUSY) ||
                   (choice > 1 && status == SYNCLINE_ERR_TIMEOUT));
            if (status == SYNCLINE_OK) {
                add_one(0, words, &random);
                if (random.below(4) == 0) {
                    sleep_us(random.below(200));
                }
                MUST(syncline_lock_release(lock));
                mine++;
            }
        }
        check_count(0, words, mine);
        MUST(syncline_lock_destroy(lock));
        MUST(syncline_free(words));
    }
    // Given up by all, which leaves nothing but such places behind the holder, and a waiter that is served all the
    // same.
    for (const int kind : queueing) {
        syncline_lock_t* lock = nullptr;
        MUST(syncline_lock_create(kind, 0, &lock));
        const int last = size() - 1;
        if (rank() == 0) {
            MUST(syncline_lock_acquire(lock));
        }
        MUST(syncline_barrier());
        if (rank() != 0 && rank() != last) {
            EXPECT_STATUS(syncline_lock_acquire_timed(lock, 1000), SYNCLINE_ERR_TIMEOUT);
        }
        MUST(syncline_barrier());
        if (rank() == 0) {
            sleep_us(150'000);  // the waiter walks past them to see who is there
            MUST(syncline_lock_release(lock));
        } else if (rank() == last) {
            MUST(syncline_lock_acquire(lock));
            MUST(syncline_lock_release(lock));
        }
        MUST(syncline_barrier());
        MUST(syncline_lock_acquire_timed(lock, 20'000'000));
        MUST(syncline_lock_release(lock));
        MUST(syncline_lock_destroy(lock));
    }
}

void run_lock_arguments() {
    syncline_lock_t* lock = nullptr;
    EXPECT_ERROR(syncline_lock_create(17, 0, &lock), SYNCLINE_ERR_INVALID, "17 is no kind");
    EXPECT_ERROR(syncline_lock_create(0, size(), &lock), SYNCLINE_ERR_RANK, "home");
    EXPECT_ERROR(syncline_lock_create(0, -1, &lock), SYNCLINE_ERR_RANK, "home");
    EXPECT_ERROR(syncline_lock_create(0, 0, nullptr), SYNCLINE_ERR_INVALID, "NULL");
    EXPECT_ERROR(syncline_lock_acquire(nullptr), SYNCLINE_ERR_INVALID, "syncline_lock_acquire");
    EXPECT_ERROR(syncline_lock_destroy(nullptr), SYNCLINE_ERR_INVALID, "syncline_lock_destroy");
    EXPECT_ERROR(syncline_rwlock_release(nullptr), SYNCLINE_ERR_INVALID, "syncline_rwlock_release");
    EXPECT_ERROR(syncline_semaphore_acquire(nullptr), SYNCLINE_ERR_INVALID, "syncline_semaphore_acquire");
    EXPECT(lock == nullptr);
    syncline_semaphore_t* semaphore = nullptr;
    EXPECT_ERROR(syncline_semaphore_create(UINT32_MAX, 0, &semaphore), SYNCLINE_ERR_INVALID, "units");
    for (const int kind : kinds) {
        MUST(syncline_lock_create(kind, 0, &lock));
        EXPECT_ERROR(syncline_lock_release(lock), SYNCLINE_ERR_INVALID, "does not hold");
        MUST(syncline_lock_acquire(lock));
        EXPECT_ERROR(syncline_lock_acquire(lock), SYNCLINE_ERR_INVALID, "already holds");
        EXPECT_ERROR(syncline_lock_try_acquire(lock), SYNCLINE_ERR_INVALID, "already holds");
        EXPECT_ERROR(syncline_lock_acquire_timed(lock, 10), SYNCLINE_ERR_INVALID, "already holds");
        EXPECT_ERROR(syncline_lock_destroy(lock), SYNCLINE_ERR_INVALID, "release it first");
        MUST(syncline_lock_release(lock));
        EXPECT_ERROR(syncline_lock_release(lock), SYNCLINE_ERR_INVALID, "does not hold");
        MUST(syncline_lock_destroy(lock));
    }
    syncline_rwlock_t* both = nullptr;
    MUST(syncline_rwlock_create(0, &both));
    EXPECT_ERROR(syncline_rwlock_release(both), SYNCLINE_ERR_INVALID, "does not hold");
    MUST(syncline_rwlock_read_acquire(both));
    EXPECT_ERROR(syncline_rwlock_write_acquire(both), SYNCLINE_ERR_INVALID, "already holds");
    MUST(syncline_rwlock_release(both));
    MUST(syncline_rwlock_destroy(both));
}

// Locks that are made together exclude by themselves, and go together.
void run_lock_sets() {
    constexpr int count = 37;
    int homes[count];
    syncline_lock_t* locks[count] = {};
    for (int i = 0; i < count; i++) {
        homes[i] = i % size();
    }
    for (const int kind : kinds) {
        MUST(syncline_locks_create(kind, homes, count, locks));
        const syncline_address_t words = allocate(count * 8);
        for (int i = 0; i < count; i++) {
            const int which = (i + rank()) % count;
            uint64_t value = 0;
            MUST(syncline_lock_acquire(locks[which]));
            MUST(syncline_get(homes[which], words + 8 * static_cast<uint64_t>(which), &value, sizeof(value)));
            value++;
            MUST(syncline_put(homes[which], words + 8 * static_cast<uint64_t>(which), &value, sizeof(value)));
            MUST(syncline_lock_release(locks[which]));
        }
        MUST(syncline_barrier());
        for (int i = 0; i < count; i++) {
            EXPECT(homes[i] != rank() || *local(words + 8 * static_cast<uint64_t>(i)) == static_cast<uint64_t>(size()));
        }
        MUST(syncline_lock_acquire(locks[rank() % count]));
        EXPECT_ERROR(syncline_locks_destroy(locks, count), SYNCLINE_ERR_INVALID, "release it first");
        MUST(syncline_lock_release(locks[rank() % count]));
        EXPECT_ERROR(syncline_lock_destroy(locks[0]), SYNCLINE_ERR_INVALID, "one of 37");
        EXPECT_ERROR(syncline_locks_destroy(locks + 1, count - 1), SYNCLINE_ERR_INVALID, "created together");
        MUST(syncline_locks_destroy(locks, count));
        MUST(syncline_free(words));
    }
    EXPECT_ERROR(syncline_locks_create(17, homes, count, locks), SYNCLINE_ERR_INVALID, "17 is no kind");
    EXPECT_ERROR(syncline_locks_create(0, nullptr, count, locks), SYNCLINE_ERR_INVALID, "NULL");
    EXPECT_ERROR(syncline_locks_create(0, homes, -1, locks), SYNCLINE_ERR_INVALID, "-1 locks");
    homes[5] = size();
    EXPECT_ERROR(syncline_locks_create(0, homes, count, locks), SYNCLINE_ERR_RANK, "home");
    MUST(syncline_locks_create(0, homes, 0, locks));
    MUST(syncline_locks_destroy(locks, 0));
}

// A lock that its PEs keep ends with the job.
void run_lock_kept() {
    syncline_lock_t* lock = nullptr;
    MUST(syncline_lock_create(SYNCLINE_LOCK_HYBRID, 0, &lock));
}

// Created and destroyed again and again, over the same memory, many at a time.
void run_lock_recreated() {
    for (int round = 0; round < repeats(10); round++) {
        syncline_lock_t* locks[4] = {};
        for (const int kind : kinds) {
            MUST(syncline_lock_create(kind, (round + kind) % size(), &locks[kind]));
        }
        for (syncline_lock_t* lock : locks) {
            MUST(syncline_lock_acquire(lock));
        }
        for (syncline_lock_t* lock : locks) {
            MUST(syncline_lock_release(lock));
        }
        for (syncline_lock_t* lock : locks) {
            MUST(syncline_lock_destroy(lock));
        }
    }
}

void run_rwlock() {
    readers_and_writers(repeats(150));
}

void run_semaphore() {
    use_semaphore(repeats(150));
}

// With faults injected: fewer rounds, for each lost packet takes its time.
void run_lock_loss() {
    for (const int kind : kinds) {
        exclude(kind, 0, repeats(12));
    }
    readers_and_writers(repeats(15));
    use_semaphore(repeats(15));
}

}  // namespace contract
