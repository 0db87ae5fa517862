// SPDX-License-Identifier: BSD-3-Clause
// Method: what a PE of the lock tests does. PE 0 is the home unless the home is to die, the last PE the victim. The
// holder lets the waiters into the queue one by one and says "queued RANK COUNT" when they are there: then the test
// kills, and the holder sees the death by itself. No PE waits for time to pass.
#include "tests/daemon/pe_locks.h"

#include <syncline.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ctime>
#include <vector>

#include "runtime/lock/lock.h"

namespace {

using syncline::LockLayout;

constexpr long long patience_ms = 20'000;

constexpr int rwlock_kind = 4;
constexpr int rwlock_read_kind = 5;  // the victim reads, the others write
constexpr int semaphore_kind = 6;

int kind = 0;
syncline_lock_t* lock = nullptr;
syncline_rwlock_t* rwlock = nullptr;
syncline_semaphore_t* semaphore = nullptr;
int home = 0;
syncline_address_t lock_at = 0;
size_t lock_bytes = 0;

// In each PE's words. All but the last are used at PE 0.
syncline_address_t lock_area;
constexpr syncline_address_t inside = 0;        // how many have the lock
constexpr syncline_address_t queue_opened = 8;  // for how many waiters
constexpr syncline_address_t answered = 16;     // waiters that had an answer
constexpr syncline_address_t turns_over = 24;   // PEs whose first turn is over
constexpr syncline_address_t finished = 32;     // PEs that need no other any more

long long now_ms() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<long long>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

void say(const char* key, long long value) {
    std::printf("%s %d %lld\n", key, syncline_rank(), value);
    std::fflush(stdout);
}

int create() {
    // The heap gives the lock the place that it has just taken back.
    lock_bytes = LockLayout::bytes_for(syncline_size());
    int status = syncline_alloc(lock_bytes, 128, &lock_at);
    status = status == SYNCLINE_OK ? syncline_free(lock_at) : status;
    if (status != SYNCLINE_OK) {
        return status;
    }
    if (kind < rwlock_kind) {
        return syncline_lock_create(kind, home, &lock);
    }
    return kind == semaphore_kind ? syncline_semaphore_create(1, home, &semaphore)
                                  : syncline_rwlock_create(home, &rwlock);
}

int acquire(bool reads) {
    if (kind < rwlock_kind) {
        return syncline_lock_acquire(lock);
    }
    if (kind == semaphore_kind) {
        return syncline_semaphore_acquire(semaphore);
    }
    return reads ? syncline_rwlock_read_acquire(rwlock) : syncline_rwlock_write_acquire(rwlock);
}

int release() {
    if (kind < rwlock_kind) {
        return syncline_lock_release(lock);
    }
    return kind == semaphore_kind ? syncline_semaphore_release(semaphore, 1) : syncline_rwlock_release(rwlock);
}

// The PE that is in says so at PE 0, and that no other is: "alone RANK 1".
int acquire_alone(bool reads) {
    const int status = acquire(reads);
    if (status != SYNCLINE_OK) {
        return status;
    }
    uint64_t before = 0;
    (void)syncline_fetch_add64(0, lock_area + inside, 1, &before);
    say("alone", before == 0);
    return status;
}

int leave_alone() {
    uint64_t before = 0;
    (void)syncline_fetch_add64(0, lock_area + inside, UINT64_MAX, &before);
    return release();
}

uint64_t read_word(int rank, syncline_address_t at) {
    uint64_t value = 0;
    (void)syncline_get(rank, at, &value, sizeof(value));
    return value;
}

void add_one(int rank, syncline_address_t at) {
    uint64_t before = 0;
    (void)syncline_fetch_add64(rank, at, 1, &before);
}

// Until `done()`, or for a time after which the test has failed anyhow.
template <typename Done>
void await(Done&& done) {
    for (const long long deadline = now_ms() + patience_ms; !done() && now_ms() < deadline;) {
        usleep(1000);
    }
}

std::vector<uint8_t> lock_words(int rank, uint64_t from, uint64_t to) {
    std::vector<uint8_t> bytes(to - from);
    (void)syncline_get(rank, lock_at + from, bytes.data(), bytes.size());
    return bytes;
}

// Words that change when a PE has queued up behind PE `front`: those at the home; in the two queues that PEs link to
// each other, those of the one in front as well, which come last.
std::vector<std::vector<uint8_t>> place_behind(int front) {
    std::vector<std::vector<uint8_t>> words_of_place = {lock_words(home, 0, LockLayout::link),
                                                        lock_words(home, LockLayout::bytes, lock_bytes)};
    if (kind == SYNCLINE_LOCK_MCS || kind == SYNCLINE_LOCK_LOCAL_RELEASE) {
        words_of_place = {lock_words(front, LockLayout::link, LockLayout::bytes)};
    }
    return words_of_place;
}

// By the PE that has the lock: lets waiters into the queue, one after the other.
void let_in(const std::vector<int>& waiters) {
    int front = syncline_rank();
    for (const int waiter : waiters) {
        const auto before = place_behind(front);
        add_one(0, lock_area + queue_opened);
        await([&] { return place_behind(front) != before; });
        front = waiter;
    }
    say("queued", static_cast<long long>(waiters.size()));
}

void queue_up(int place) {
    await([&] { return read_word(0, lock_area + queue_opened) > static_cast<uint64_t>(place); });
}

void await_death(int rank) {
    uint64_t value = 0;
    await([&] { return syncline_get(rank, lock_area, &value, sizeof(value)) != SYNCLINE_OK; });
}

void await_answers(uint64_t waiters) {
    await([&] { return read_word(0, lock_area + answered) >= waiters; });
}

// Acquires, and says how that ended. It gives back what it gets.
void wait_and_tell(const char* key, bool reads) {
    const int status = acquire_alone(reads);
    say(key, status);
    if (status == SYNCLINE_OK) {
        say("released", leave_alone());
    }
    add_one(0, lock_area + answered);
}

// Later: when the waiters have had their turn, so that no PE comes to stand behind a dead one.
int finish() {
    const auto living = static_cast<uint64_t>(syncline_size()) - 1;
    add_one(0, lock_area + turns_over);
    await([&] { return read_word(0, lock_area + turns_over) == living; });
    wait_and_tell("later", false);
    // A PE that left now would be one more death to the others, and no barrier is passed any more.
    for (int rank = 0; rank < static_cast<int>(living); rank++) {
        add_one(rank, lock_area + finished);
    }
    (void)syncline_wait_until64(static_cast<uint64_t*>(syncline_local(lock_area + finished)), SYNCLINE_GE, living,
                                patience_ms * 1000);
    (void)syncline_finalize();
    return 0;
}

// The victim has it and is killed; the others wait for it, or come later.
int holder_dies() {
    const int victim = syncline_size() - 1;
    if (syncline_rank() == victim) {
        (void)acquire(kind == rwlock_read_kind);
        let_in({0, 1, 2});
        pause();
    }
    queue_up(syncline_rank());
    wait_and_tell("status", kind == rwlock_kind && syncline_rank() == 1);
    return finish();
}

// PE 0 has it; the victim queues in front of the others, or behind them.
int waiter_dies(bool first) {
    const int rank = syncline_rank();
    const int victim = syncline_size() - 1;
    if (rank == 0) {
        (void)acquire_alone(false);
        let_in(first ? std::vector<int>{victim, 1, 2} : std::vector<int>{1, 2, victim});
        await_death(victim);
        say("released", leave_alone());
        return finish();
    }
    queue_up(first ? (rank == victim ? 0 : rank) : rank - 1);
    wait_and_tell("status", false);
    if (rank == victim) {
        pause();
    }
    return finish();
}

// The home is the victim. PE 0 has it until the others have been told.
int home_dies() {
    const int rank = syncline_rank();
    if (rank == 0) {
        (void)acquire_alone(false);
        let_in({1, 2});
        await_answers(2);
        say("released", leave_alone());
        return finish();
    }
    if (rank == home) {
        pause();
    }
    queue_up(rank - 1);
    wait_and_tell("status", false);
    return finish();
}

// The daemon dies: all go round, and say how that ended and how long the last call took. "turn RANK 1": it has had it.
int daemon_dies() {
    const long long until = now_ms() + patience_ms;
    int status = SYNCLINE_OK;
    long long called = 0;
    for (long turn = 1; status == SYNCLINE_OK && now_ms() < until; turn++) {
        called = now_ms();
        status = acquire(kind == rwlock_read_kind && syncline_rank() != 0);
        status = status == SYNCLINE_OK ? release() : status;
        if (turn == 1) {
            say("turn", 1);
        }
    }
    say("status", status);
    say("took_ms", now_ms() - called);
    return 0;
}

}  // namespace

int act_on_locks(const char* what, int which, syncline_address_t some_words) {
    kind = which;
    lock_area = some_words;
    const bool home_is_victim = std::strcmp(what, "lock-home") == 0;
    home = home_is_victim ? syncline_size() - 1 : 0;
    if (const int status = create(); status != SYNCLINE_OK) {
        std::fprintf(stderr, "node_pe: PE %d: %s\n", syncline_rank(), syncline_last_error());
        syncline_abort(99);
    }
    if (home_is_victim) {
        return home_dies();
    }
    if (std::strcmp(what, "lock-daemon") == 0) {
        return daemon_dies();
    }
    return std::strcmp(what, "lock-holder") == 0 ? holder_dies() : waiter_dies(std::strcmp(what, "lock-first") == 0);
}
