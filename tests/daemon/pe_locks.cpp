// SPDX-License-Identifier: BSD-3-Clause
// Method: what a PE of the lock tests does. PE 0 is the home unless the home is to die, the last PE the victim. Times
// are of CLOCK_MONOTONIC in milliseconds, so that the test can compare them with when it killed.
#include "tests/daemon/pe_locks.h"

#include <syncline.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ctime>

namespace {

constexpr int rwlock_kind = 4;
constexpr int rwlock_read_kind = 5;  // the victim reads, the others write
constexpr int semaphore_kind = 6;

int kind = 0;
syncline_lock_t* lock = nullptr;
syncline_rwlock_t* rwlock = nullptr;
syncline_semaphore_t* semaphore = nullptr;
syncline_address_t words;  // 0: how many are in; 8: how many have queued

long long now_ms() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<long long>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

void say(const char* key, long long value) {
    std::printf("%s %d %lld\n", key, syncline_rank(), value);
    std::fflush(stdout);
}

int create(int home) {
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

// Who is in says so at PE 0, and that nobody else is: "alone RANK 1".
int acquire_alone(bool reads) {
    const int status = acquire(reads);
    if (status != SYNCLINE_OK) {
        return status;
    }
    uint64_t before = 0;
    (void)syncline_fetch_add64(0, words, 1, &before);
    say("alone", before == 0);
    return status;
}

int leave_alone() {
    uint64_t before = 0;
    (void)syncline_fetch_add64(0, words, UINT64_MAX, &before);
    return release();
}

void queue_up(int place) {
    while (true) {
        uint64_t queued = 0;
        (void)syncline_get(0, words + 8, &queued, sizeof(queued));
        if (queued >= static_cast<uint64_t>(place)) {
            break;
        }
        usleep(1000);
    }
    usleep(50'000);  // the one before is in the queue by now
    (void)syncline_add64(0, words + 8, 1);
    (void)syncline_fence(0);
}

// Acquires, and says how that ended and when. What it gets it gives back.
void wait_and_tell(const char* key, bool reads) {
    const int status = acquire_alone(reads);
    const long long ended = now_ms();
    say(key, status);
    if (std::strcmp(key, "status") == 0) {
        say("ended_ms", ended);
    }
    if (status == SYNCLINE_OK) {
        say("released", leave_alone());
    }
}

// Later: when those who waited have had their turn, so that nobody comes to stand behind a dead one.
int finish() {
    usleep(500'000);
    wait_and_tell("later", false);
    // Whoever left now would be one more death to the others, and no barrier is met any more.
    const auto victim = static_cast<uint64_t>(syncline_size()) - 1;
    for (int rank = 0; rank < static_cast<int>(victim); rank++) {
        uint64_t before = 0;
        (void)syncline_fetch_add64(rank, words + 16, 1, &before);
    }
    (void)syncline_wait_until64(static_cast<uint64_t*>(syncline_local(words)) + 2, SYNCLINE_GE, victim, 10'000'000);
    (void)syncline_finalize();
    return 0;
}

// The victim has it and is killed; the others wait for it, or come later.
int holder_dies() {
    const int victim = syncline_size() - 1;
    const bool victim_reads = kind == rwlock_read_kind;
    if (syncline_rank() == victim) {
        (void)acquire(victim_reads);
        say("holds", 1);
        (void)syncline_barrier();
        pause();
    }
    (void)syncline_barrier();
    say("waits", 1);
    wait_and_tell("status", kind == rwlock_kind && syncline_rank() == 1);
    return finish();
}

// PE 0 has it; the victim queues in front of the others, or behind them.
int waiter_dies(bool first) {
    const int rank = syncline_rank();
    const int victim = syncline_size() - 1;
    if (rank == 0) {
        (void)acquire_alone(false);
    }
    (void)syncline_barrier();
    if (rank == 0) {
        while (access("/proc/self", F_OK) == 0) {
            uint64_t queued = 0;
            (void)syncline_get(0, words + 8, &queued, sizeof(queued));
            if (queued >= static_cast<uint64_t>(syncline_size()) - 1) {
                break;
            }
            usleep(1000);
        }
        usleep(100'000);
        say("holds", 1);
        sleep(1);  // the victim is killed meanwhile
        say("released", leave_alone());
        return finish();
    }
    queue_up(first ? (rank == victim ? 0 : rank) : rank - 1);
    if (rank != victim) {
        say("waits", 1);
    }
    wait_and_tell("status", false);
    if (rank == victim) {
        pause();
    }
    return finish();
}

// The home is the victim. PE 0 holds, the others wait.
int home_dies() {
    if (syncline_rank() == 0) {
        (void)acquire_alone(false);
    }
    (void)syncline_barrier();
    if (syncline_rank() == syncline_size() - 1) {
        say("holds", 1);
        pause();
    }
    if (syncline_rank() == 0) {
        sleep(2);
        say("released", leave_alone());
        return finish();
    }
    say("waits", 1);
    wait_and_tell("status", false);
    return finish();
}

}  // namespace

int act_on_locks(const char* what, int which, syncline_address_t some_words) {
    kind = which;
    words = some_words;
    const bool home = std::strcmp(what, "lock-home") == 0;
    if (const int status = create(home ? syncline_size() - 1 : 0); status != SYNCLINE_OK) {
        std::fprintf(stderr, "node_pe: PE %d: %s\n", syncline_rank(), syncline_last_error());
        syncline_abort(99);
    }
    if (home) {
        return home_dies();
    }
    return std::strcmp(what, "lock-holder") == 0 ? holder_dies() : waiter_dies(std::strcmp(what, "lock-first") == 0);
}
