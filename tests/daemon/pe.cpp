// SPDX-License-Identifier: BSD-3-Clause
// Method: the program that the cleanup and failure tests run as a job. Every PE says "ready RANK PID JOB" once all have
// joined; its first argument then says what becomes of it. It prints its findings as "KEY RANK VALUE".
#include <syncline.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "tests/daemon/pe_locks.h"

namespace {

uint64_t now_ms() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1'000'000;
}

int own_rank = -1;

template <typename Value>
void say(const char* key, Value value) {
    std::printf("%s %d %lld\n", key, own_rank, static_cast<long long>(value));
    std::fflush(stdout);
}

void must(int status, const char* what) {
    if (status != SYNCLINE_OK) {
        std::fprintf(stderr, "node_pe: PE %d: %s: %s\n", syncline_rank(), what, syncline_last_error());
        syncline_abort(99);
    }
}

syncline_address_t words;

// Operations on `rank` until they fail, or for ten seconds: how long that took.
int until_it_fails(int rank) {
    const uint64_t start = now_ms();
    int status = SYNCLINE_OK;
    while (status == SYNCLINE_OK && now_ms() < start + 10'000) {
        uint64_t old = 0;
        status = syncline_fetch_add64(rank, words, 1, &old);
        usleep(1000);
    }
    say("failed_after_ms", now_ms() - start);
    return status;
}

// The victim is killed, or its node falls silent: operations on it fail, those on all others do not.
int survive(int victim_node, int victim) {
    const auto gone = [&](int rank) { return rank == victim || syncline_node_of(rank) == victim_node; };
    if (gone(syncline_rank())) {
        pause();  // until killed
        return syncline_finalize() == SYNCLINE_ERR_PEER ? 0 : 4;
    }
    for (int rank = 0; rank < syncline_size(); rank++) {
        if (gone(rank)) {
            say("status", until_it_fails(rank));
        }
    }
    for (int round = 0; round < 100; round++) {
        for (int rank = 0; rank < syncline_size(); rank++) {
            uint64_t value = 0;
            if (!gone(rank)) {
                must(syncline_fetch_add64(rank, words + 8, 1, &value), "an operation on a PE that lives");
                must(syncline_put(rank, words + 16, &value, sizeof(value)), "a put to a PE that lives");
            }
        }
    }
    say("survived", 1);
    // The survivors count each other: the barrier will say that a PE is gone.
    uint64_t living = 0;
    for (int rank = 0; rank < syncline_size(); rank++) {
        uint64_t value = 0;
        if (!gone(rank)) {
            living++;
            must(syncline_fetch_add64(rank, words + 24, 1, &value), "an operation on a PE that lives");
        }
    }
    must(syncline_wait_until64(static_cast<uint64_t*>(syncline_local(words)) + 3, SYNCLINE_EQ, living, 10'000'000),
         "waiting for the PEs that live");
    const int passed = syncline_barrier();
    say("barrier", passed);
    say("finalize", syncline_finalize());
    return 0;
}

// The last PE computes without a call until the others' operations are in its memory: they need no help of it.
int progress() {
    const int target = syncline_size() - 1;
    const uint64_t count = 200;
    if (own_rank == target) {
        const auto* const counter = static_cast<const volatile uint64_t*>(syncline_local(words));
        const uint64_t all = count * static_cast<uint64_t>(target);
        volatile uint64_t work = 0;
        for (const uint64_t start = now_ms(); *counter < all && now_ms() < start + 10'000;) {
            work = work + 1;
        }
        say("seen", *counter);
    } else {
        for (uint64_t i = 0; i < count; i++) {
            uint64_t old = 0;
            must(syncline_fetch_add64(target, words, 1, &old), "fetch_add");
        }
    }
    must(syncline_barrier(), "barrier");
    must(syncline_finalize(), "finalize");
    return 0;
}

int users() {
    say("uid", getuid());
    uint64_t old = 0;
    for (int rank = 0; rank < syncline_size(); rank++) {
        must(syncline_fetch_add64(rank, words, 1, &old), "fetch_add");
    }
    must(syncline_barrier(), "barrier");
    say("counted", *static_cast<uint64_t*>(syncline_local(words)));
    must(syncline_finalize(), "finalize");
    return 0;
}

// Some rounds of a barrier that the NICs run; then PE `victim` stays away, and the others say what became of it.
int barriers(int victim, int algorithm) {
    syncline_barrier_t barrier = nullptr;
    const syncline_barrier_options_t options = {sizeof(options), algorithm, 0, 0};
    must(syncline_barrier_open(4, nullptr, 0, &options, &barrier), "barrier_open");
    for (int round = 0; round < 20; round++) {
        must(syncline_barrier_start(barrier), "barrier_start");
        must(syncline_barrier_wait(barrier), "barrier_wait");
    }
    say("passed", 20);
    if (own_rank == victim) {
        pause();
    }
    // The victim may be known to be gone before this PE has come.
    const int started = syncline_barrier_start(barrier);
    say("barrier_status", started != SYNCLINE_OK ? started : syncline_barrier_wait(barrier));
    say("next_status", syncline_barrier_start(barrier));
    say("close_status", syncline_barrier_close(barrier));
    (void)syncline_finalize();
    return 0;
}

// PE `absent` never comes to the fence and barrier by the algorithm that is named.
int fence(int absent, int algorithm) {
    syncline_barrier_t barrier = nullptr;
    must(syncline_barrier_open(0, nullptr, 0, nullptr, &barrier), "barrier_open");
    must(syncline_fence_barrier(barrier, algorithm), "fence_barrier");
    say("passed", 1);
    if (syncline_rank() == absent) {
        (void)syncline_wait_until64(static_cast<uint64_t*>(syncline_local(words)), SYNCLINE_EQ, 1, -1);
    }
    say("barrier_status", syncline_fence_barrier(barrier, algorithm));
    say("next_status", syncline_fence_barrier(barrier, algorithm));
    say("close_status", syncline_barrier_close(barrier));
    (void)syncline_finalize();
    return 0;
}

// PE `victim` is killed. The others' wait without a deadline tells them so, once; the next one is ended by a store.
int wait_twice(int victim) {
    auto* const word = static_cast<uint64_t*>(syncline_local(words));
    if (own_rank == victim) {
        pause();
    }
    say("told", syncline_wait_until64(word + 1, SYNCLINE_EQ, 1, -1));
    for (int rank = 0; rank < syncline_size(); rank++) {
        uint64_t old = 0;
        if (rank != victim) {
            must(syncline_fetch_add64(rank, words, 1, &old), "an operation on a PE that lives");
        }
    }
    const uint64_t living = static_cast<uint64_t>(syncline_size()) - 1;
    say("waited", syncline_wait_until64(word, SYNCLINE_EQ, living, -1));
    (void)syncline_finalize();
    return 0;
}

// A child that uses the library is refused, and its exit is not the PE's.
int make_child() {
    const pid_t child = fork();
    if (child == 0) {
        uint64_t old = 0;
        const bool refused = syncline_fetch_add64(0, words, 1, &old) == SYNCLINE_ERR_NOT_INITIALIZED &&
                             syncline_barrier() == SYNCLINE_ERR_NOT_INITIALIZED &&
                             syncline_init(nullptr) == SYNCLINE_ERR_NOT_INITIALIZED &&
                             std::strstr(syncline_last_error(), "fork()") != nullptr &&
                             syncline_finalize() == SYNCLINE_ERR_NOT_INITIALIZED;
        std::exit(refused ? 7 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    say("child", WEXITSTATUS(status));
    must(syncline_barrier(), "barrier");
    must(syncline_finalize(), "finalize");
    return 0;
}

int act(const char* what, int argument) {
    if (std::strcmp(what, "fence-acknowledged") == 0) {
        return fence(argument, SYNCLINE_FENCE_ACKNOWLEDGED);
    }
    if (std::strcmp(what, "fence-counts") == 0) {
        return fence(argument, SYNCLINE_FENCE_COUNTS);
    }
    if (std::strcmp(what, "barriers") == 0) {
        return barriers(argument, SYNCLINE_BARRIER_AUTO);
    }
    if (std::strcmp(what, "signal-barriers") == 0) {
        return barriers(argument, SYNCLINE_BARRIER_SIGNALS);
    }
    if (std::strcmp(what, "end") == 0) {
        must(syncline_finalize(), "finalize");
        return 0;
    }
    if (std::strcmp(what, "exit3") == 0) {
        must(syncline_barrier(), "barrier");  // all have said that they are ready
        if (syncline_rank() == 1) {
            std::_Exit(3);
        }
        return syncline_finalize() == SYNCLINE_ERR_PEER ? 0 : 4;
    }
    if (std::strcmp(what, "abort") == 0) {
        must(syncline_barrier(), "barrier");
        if (syncline_rank() == 1) {
            syncline_abort(5);
        }
        (void)syncline_wait_until64(static_cast<uint64_t*>(syncline_local(words)), SYNCLINE_EQ, 1, -1);
        return 0;
    }
    if (std::strcmp(what, "wait") == 0) {
        say("waited", syncline_wait_until64(static_cast<uint64_t*>(syncline_local(words)), SYNCLINE_EQ, 1, -1));
        std::printf("because %d %s\n", own_rank, syncline_last_error());
        return 0;
    }
    if (std::strcmp(what, "wait-twice") == 0) {
        return wait_twice(argument);
    }
    if (std::strcmp(what, "fork") == 0) {
        return make_child();
    }
    if (std::strcmp(what, "sleep") == 0) {
        for (;;) {
            ::pause();
        }
    }
    if (std::strcmp(what, "progress") == 0) {
        return progress();
    }
    if (std::strcmp(what, "users") == 0) {
        return users();
    }
    if (std::strncmp(what, "lock-", 5) == 0) {
        return act_on_locks(what, argument, words);
    }
    return std::strcmp(what, "silent") == 0 ? survive(argument, -1) : survive(-1, argument);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2 || syncline_init(nullptr) != SYNCLINE_OK) {
        std::fprintf(stderr, "node_pe: %s\n", argc < 2 ? "what to do?" : syncline_last_error());
        return 2;
    }
    own_rank = syncline_rank();
    must(syncline_alloc(64, 0, &words), "alloc");
    const char* const job = std::getenv("SYNCLINE_JOB");
    std::printf("ready %d %d %s\n", syncline_rank(), static_cast<int>(getpid()), job != nullptr ? job : "-");
    std::fflush(stdout);
    return act(argv[1], argc > 2 ? std::atoi(argv[2]) : 0);
}
