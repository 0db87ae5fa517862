// SPDX-License-Identifier: BSD-3-Clause
// Method: allocation by all and by one, homes as they are asked for, values for all, pages ahead of their use, and
// system calls on them; calls that are wrong say why; counts of what has happened.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string_view>
#include <vector>

#include "check.h"

using namespace dsm_live;

namespace {

syncline_dsm_statistics_t counts() {
    syncline_dsm_statistics_t seen = {};
    seen.struct_size = sizeof(seen);
    CHECK_OK(syncline_dsm_get_statistics(&seen));
    return seen;
}

bool is_in_range(const void* memory, size_t bytes) {
    void* base = nullptr;
    size_t length = 0;
    CHECK_OK(syncline_dsm_range(&base, &length));
    const auto* const first = static_cast<const uint8_t*>(base);
    const auto* const at = static_cast<const uint8_t*>(memory);
    return at >= first && at + bytes <= first + length;
}

}  // namespace

void run_allocation() {
    // By all: the same address everywhere.
    void* const together = syncline_dsm_alloc(10'000, SYNCLINE_DSM_CYCLIC);
    CHECK(together != nullptr && is_in_range(together, 10'000));
    CHECK(reinterpret_cast<uintptr_t>(together) % 4096 == 0);
    void* of_first = together;
    CHECK_OK(syncline_dsm_broadcast(0, &of_first, sizeof(of_first)));
    CHECK(of_first == together);
    // By each: no two overlap.
    const Shared<uint64_t> places(static_cast<size_t>(size()) * 20);
    const size_t own = static_cast<size_t>(me()) * 20;
    for (size_t i = 0; i < 20; i++) {
        const size_t bytes = i % 4 == 3 ? 5000 : 100;
        auto* const memory = static_cast<uint8_t*>(syncline_dsm_alloc_one(bytes, SYNCLINE_DSM_FIRST_TOUCH));
        CHECK_THAT(memory != nullptr, "{}", syncline_last_error());
        CHECK(reinterpret_cast<uintptr_t>(memory) % (bytes < 4096 ? 64 : 4096) == 0);
        std::memset(memory, me() + 1, bytes);
        places[own + i] = reinterpret_cast<uint64_t>(memory);
    }
    barrier();
    for (size_t i = 0; i < static_cast<size_t>(size()) * 20; i++) {
        const auto* const memory = reinterpret_cast<const uint8_t*>(uint64_t{places[i]});
        const size_t bytes = i % 4 == 3 ? 5000 : 100;
        const auto expected = static_cast<uint8_t>(i / 20 + 1);
        CHECK(std::all_of(memory, memory + bytes, [&](uint8_t byte) { return byte == expected; }));
    }
    barrier();
    // Another process gives it back.
    const size_t next = static_cast<size_t>((me() + 1) % size()) * 20;
    for (size_t i = 0; i < 20; i++) {
        CHECK_OK(syncline_dsm_free_one(reinterpret_cast<void*>(uint64_t{places[next + i]})));
    }
    CHECK_OK(syncline_dsm_free(together));
    CHECK_OK(syncline_dsm_free_one(nullptr));
    CHECK_OK(syncline_dsm_free(nullptr));
    // More than there is: NULL, at all processes; then all that there is.
    void* base = nullptr;
    size_t length = 0;
    CHECK_OK(syncline_dsm_range(&base, &length));
    CHECK(syncline_dsm_alloc(length, SYNCLINE_DSM_BLOCK) == nullptr);
    CHECK_THAT(
        std::strstr(syncline_last_error(), me() == 0 ? "the longest free piece has" : "process 0 could not") != nullptr,
        "{}", syncline_last_error());
    CHECK(syncline_dsm_alloc_one(SIZE_MAX, SYNCLINE_DSM_BLOCK) == nullptr);
    CHECK(std::strstr(syncline_last_error(), "SYNCLINE_DSM_SIZE") != nullptr);
    barrier();
    void* const most = syncline_dsm_alloc(length / 2, SYNCLINE_DSM_FIRST_TOUCH);
    CHECK_THAT(most != nullptr, "{}", syncline_last_error());
    CHECK(syncline_dsm_alloc(length / 2, SYNCLINE_DSM_FIRST_TOUCH) == nullptr);
    CHECK_OK(syncline_dsm_free(most));
}

// A page that has its home here is written without a diff.
void run_homes() {
    constexpr size_t pages = 12;
    const auto processes = static_cast<size_t>(size());
    for (const int homes : {SYNCLINE_DSM_BLOCK, SYNCLINE_DSM_CYCLIC, SYNCLINE_DSM_MINE}) {
        // Fresh pages: those that had homes keep them.
        auto* const bytes = static_cast<volatile uint8_t*>(syncline_dsm_alloc(pages * 4096, homes));
        CHECK_THAT(bytes != nullptr, "{}", syncline_last_error());
        CHECK_OK(syncline_dsm_reset_statistics());
        barrier();
        for (size_t page = 0; page < pages; page++) {
            const size_t home = homes == SYNCLINE_DSM_BLOCK    ? page * processes / pages
                                : homes == SYNCLINE_DSM_CYCLIC ? page % processes
                                                               : 0;
            if (home == static_cast<size_t>(me())) {
                bytes[page * 4096 + 5] = 1;
            }
        }
        barrier();
        CHECK_THAT(counts().diffs == 0 || size() == 1, "{} diffs where all pages are at home, homes {}", counts().diffs,
                   homes);
        for (size_t page = 0; page < pages; page++) {
            CHECK(bytes[page * 4096 + 5] == 1);
        }
        barrier();
    }
}

void run_broadcast() {
    for (const size_t bytes : {size_t{0}, size_t{1}, size_t{8}, size_t{16384}, size_t{16385}, size_t{100'001}}) {
        for (int root = 0; root < size(); root++) {
            std::vector<uint8_t> value(bytes, static_cast<uint8_t>(me() + 1));
            CHECK_OK(syncline_dsm_broadcast(root, value.data(), bytes));
            CHECK(std::all_of(value.begin(), value.end(), [&](uint8_t byte) { return byte == root + 1; }));
        }
    }
    // From shared memory into shared memory, of others as well.
    const Shared<uint64_t> words(4 * page_words);
    if (me() == 0) {
        words[100] = 4711;
    }
    CHECK_OK(syncline_dsm_broadcast(0, me() == 0 ? words.data() + 100 : words.data() + page_words * 2 + 8 * me(), 8));
    barrier();
    for (int process = 1; process < size(); process++) {
        CHECK(words[page_words * 2 + 8 * static_cast<size_t>(process)] == 4711);
    }
}

// A call of the kernel on pages that are there, however many.
void run_prefetch() {
    constexpr size_t bytes = 6 << 20;
    for (const int homes : {SYNCLINE_DSM_MINE, SYNCLINE_DSM_CYCLIC}) {
        const Shared<uint8_t> memory(bytes, homes);
        if (me() == size() - 1) {
            std::memset(memory.data(), 0x6B, bytes);
        }
        barrier();
        char name[] = "/tmp/syncline-dsm-XXXXXX";
        const int file = ::mkstemp(name);
        ::unlink(name);
        CHECK(file >= 0);
        CHECK_OK(syncline_dsm_prefetch(memory.data(), bytes, 0));
        ssize_t moved = ::pwrite(file, memory.data(), bytes, 0);
        CHECK_THAT(moved == static_cast<ssize_t>(bytes), "{}, {}", moved, errno);
        barrier();
        if (me() == 0) {
            CHECK_OK(syncline_dsm_prefetch(memory.data(), bytes, 1));
            moved = ::pread(file, memory.data() + 1, bytes - 2, 0);
            CHECK_THAT(moved == static_cast<ssize_t>(bytes - 2), "{}, {}", moved, errno);
            memory[0] = 1;
        }
        barrier();
        for (size_t byte = 1; byte < bytes; byte += 1023) {
            CHECK_THAT(memory[byte] == 0x6B, "byte {} is {}", byte, uint8_t{memory[byte]});
        }
        CHECK(memory[0] == 1);
        ::close(file);
        barrier();
    }
}

void run_refusals() {
    const uint32_t none = 4096;
    uint32_t first = 0;
    CHECK_FAILS(syncline_dsm_init(nullptr), SYNCLINE_ERR_INVALID, "second time");
    CHECK_FAILS(syncline_dsm_lock(none), SYNCLINE_ERR_INVALID, "4096 is no number of a lock");
    CHECK_FAILS(syncline_dsm_try_lock(UINT32_MAX), SYNCLINE_ERR_INVALID, "which are 0 to 4095");
    CHECK_FAILS(syncline_dsm_unlock(none), SYNCLINE_ERR_INVALID, "no number");
    CHECK_FAILS(syncline_dsm_unlock(90), SYNCLINE_ERR_INVALID, "has not got lock 90");
    CHECK_FAILS(syncline_dsm_cond_wait(none, 0), SYNCLINE_ERR_INVALID, "no number");
    CHECK_FAILS(syncline_dsm_cond_wait(0, none), SYNCLINE_ERR_INVALID, "no number");
    CHECK_FAILS(syncline_dsm_cond_wait(0, 90), SYNCLINE_ERR_INVALID, "has not got lock 90");
    CHECK_FAILS(syncline_dsm_cond_signal(none), SYNCLINE_ERR_INVALID, "no number");
    CHECK_FAILS(syncline_dsm_cond_broadcast(none), SYNCLINE_ERR_INVALID, "no number");
    CHECK_FAILS(syncline_dsm_flag_set(none, 1), SYNCLINE_ERR_INVALID, "no number");
    CHECK_FAILS(syncline_dsm_flag_wait(none, 1, nullptr), SYNCLINE_ERR_INVALID, "no number");
    CHECK_FAILS(syncline_dsm_broadcast(size(), &first, 4), SYNCLINE_ERR_RANK, "there is no process");
    CHECK_FAILS(syncline_dsm_broadcast(-1, &first, 4), SYNCLINE_ERR_RANK, "there is no process");
    CHECK_FAILS(syncline_dsm_broadcast(0, nullptr, 4), SYNCLINE_ERR_INVALID, "is NULL");
    CHECK_FAILS(syncline_dsm_prefetch(&first, 4, 0), SYNCLINE_ERR_ADDRESS, "not within shared memory");
    CHECK_OK(syncline_dsm_prefetch(&first, 0, 0));
    void* base = nullptr;
    size_t length = 0;
    CHECK_OK(syncline_dsm_range(&base, &length));
    CHECK_FAILS(syncline_dsm_prefetch(base, length + 1, 0), SYNCLINE_ERR_ADDRESS, "not within shared memory");
    CHECK_FAILS(syncline_dsm_prefetch(static_cast<uint8_t*>(base) - 1, 2, 0), SYNCLINE_ERR_ADDRESS, "not within");
    CHECK_FAILS(syncline_dsm_free_one(&first), SYNCLINE_ERR_ADDRESS, "not the start of an allocation");
    CHECK_FAILS(syncline_dsm_free_one(base), SYNCLINE_ERR_ADDRESS, "not the start of an allocation");
    CHECK_FAILS(syncline_dsm_free(&first), SYNCLINE_ERR_ADDRESS, "not the start of an allocation");
    CHECK(syncline_dsm_alloc_one(0, SYNCLINE_DSM_BLOCK) == nullptr);
    CHECK(std::strstr(syncline_last_error(), "needs at least 1 byte") != nullptr);
    CHECK(syncline_dsm_alloc_one(8, 4) == nullptr && syncline_dsm_alloc_one(8, -1) == nullptr);
    CHECK(std::strstr(syncline_last_error(), "enum syncline_dsm_homes has no value -1") != nullptr);
    CHECK(syncline_dsm_alloc(0, SYNCLINE_DSM_BLOCK) == nullptr);
    CHECK(std::strstr(syncline_last_error(), "needs at least 1 byte") != nullptr);
    auto* const memory = static_cast<uint8_t*>(syncline_dsm_alloc(10'000, SYNCLINE_DSM_BLOCK));
    CHECK_FAILS(syncline_dsm_free_one(memory + 64), SYNCLINE_ERR_ADDRESS, "not the start of an allocation");
    CHECK_OK(syncline_dsm_free(memory));
    CHECK_FAILS(syncline_dsm_free(memory), SYNCLINE_ERR_ADDRESS, "not the start of an allocation");
    syncline_dsm_statistics_t seen = {};
    CHECK_FAILS(syncline_dsm_get_statistics(&seen), SYNCLINE_ERR_INVALID, "struct_size");
    CHECK_FAILS(syncline_dsm_get_statistics(nullptr), SYNCLINE_ERR_INVALID, "struct_size");
}

void run_statistics() {
    constexpr size_t pages = 8;
    const Shared<uint8_t> bytes(pages * 4096, SYNCLINE_DSM_MINE);
    CHECK_OK(syncline_dsm_reset_statistics());
    CHECK(counts().read_faults == 0 && counts().barriers == 0);
    barrier();
    const int writer = size() - 1;
    if (me() == writer) {
        for (size_t page = 0; page < pages; page++) {
            bytes[page * 4096] = 1;
        }
    }
    barrier();
    for (size_t page = 0; page < pages; page++) {
        CHECK(bytes[page * 4096] == 1);
    }
    {
        const Locked locked(91);
    }
    const syncline_dsm_statistics_t seen = counts();
    CHECK_THAT(seen.barriers == 2 && seen.lock_acquires == 1, "{} barriers, {} locks", seen.barriers,
               seen.lock_acquires);
    if (size() > 1) {
        const uint64_t fetched = me() == 0 ? 0 : pages;
        CHECK_THAT(seen.pages_fetched >= fetched && seen.pages_fetched <= 2 * pages, "{} pages", seen.pages_fetched);
        CHECK_THAT(seen.diffs == (me() == writer ? pages : 0), "{} diffs", seen.diffs);
        CHECK_THAT(seen.diff_bytes == (me() == writer ? pages : 0), "{} bytes", seen.diff_bytes);
        CHECK_THAT(seen.twins >= seen.diffs, "{} twins", seen.twins);
        CHECK_THAT(seen.notices_received >= (me() == writer ? 0 : pages), "{} notices", seen.notices_received);
        CHECK(me() == 0 || (seen.fetch_ns > 0 && seen.fault_ns > 0));
    }
    CHECK(seen.barrier_ns > 0 && seen.lock_ns > 0);
    // A program of an older interface has a shorter struct.
    syncline_dsm_statistics_t shorter = {};
    shorter.struct_size = 3 * sizeof(uint64_t);
    shorter.fetches = 4711;
    CHECK_OK(syncline_dsm_get_statistics(&shorter));
    CHECK(shorter.read_faults == seen.read_faults && shorter.fetches == 4711);
    barrier();
}

// Pages that the last process has written are read in an order of each reader's own.
void run_scattered() {
    constexpr size_t pages = 256;
    const Shared<uint64_t> words(pages * 512);
    const int writer = size() - 1;
    std::vector<size_t> order(pages);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::minstd_rand(static_cast<uint32_t>(me() + 1)));
    const char* const protocol = std::getenv("SYNCLINE_DSM_PROTOCOL");
    const bool knows_homes = protocol == nullptr || std::string_view(protocol) != "async";  // a first use asks for one
    for (uint64_t round = 1; round <= 3; round++) {
        if (me() == writer) {
            for (size_t page = 0; page < pages; page++) {
                words[page * 512 + page] = round * 1000 + page;
            }
        }
        barrier();
        CHECK_OK(syncline_dsm_reset_statistics());
        for (const size_t page : order) {
            CHECK_THAT(words[page * 512 + page] == round * 1000 + page, "page {} in round {}", page, round);
        }
        const uint64_t faults = counts().read_faults;
        CHECK_THAT(faults <= pages / 2 || (round == 1 && !knows_homes), "{} faults in round {}", faults, round);
        barrier();
    }
}
