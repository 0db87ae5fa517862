// SPDX-License-Identifier: BSD-3-Clause
// Initialisation, and memory: blocks of any length, more than there are registrations, and none where there is no room.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "check.h"

using namespace armci_test;

void run_setup() {
    CHECK(ARMCI_Initialized() == 1);
    CHECK(ARMCI_Init() == 0 && ARMCI_Init_members(nullptr, 0) == 0);  // as often as it is finalized
    CHECK(ARMCI_Init_thread(3) == 0);
    ARMCI_Finalize();
    armci_msg_init(nullptr, nullptr);
    CHECK(ARMCI_Initialized() == 1 && me() >= 0 && me() < size());
    armci_msg_finalize();
    ARMCI_Finalize();
    ARMCI_Finalize();
    CHECK(ARMCI_Initialized() == 1);
    CHECK(ARMCI_Launcher_id(me()) == me() && ARMCI_Launcher_id(next()) == next());
    ARMCI_Cleanup();
    ARMCI_Set_shm_limit(1ul << 20);
    CHECK(ARMCI_Uses_shm() == 0 || ARMCI_Uses_shm() == 1);
    std::vector<int> present(static_cast<size_t>(size()));
    present[static_cast<size_t>(me())] = 1;
    armci_msg_igop(present.data(), size(), text("+"));
    CHECK(std::count(present.begin(), present.end(), 1) == size());
    const double before = armci_timer();
    ::usleep(2000);
    const double passed = armci_timer() - before;
    CHECK_THAT(passed >= 0.002 && passed < 10, "{} s", passed);
}

namespace {

// Process p asks for none, a byte, an odd number, and several pages.
armci_size_t unequal(int process, int turn) {
    constexpr armci_size_t lengths[] = {0, 1, 77, 3 * 4096 + 5, 100'000};
    return lengths[(process + turn) % 5];
}

void write_to_next(void* const* at, armci_size_t bytes, int turn) {
    if (bytes > 0) {
        std::vector<char> sent(static_cast<size_t>(bytes), static_cast<char>(me() + turn));
        CHECK(ARMCI_Put(sent.data(), at[next()], static_cast<int>(bytes), next()) == 0);
    }
}

void check_written(const void* own, armci_size_t bytes, int turn) {
    const auto* const found = static_cast<const char*>(own);
    const char expected = static_cast<char>(next(size() - 1) + turn);
    CHECK(std::all_of(found, found + bytes, [=](char one) { return one == expected; }));
}

void unequal_blocks(int turn) {
    std::vector<void*> at(static_cast<size_t>(size()));
    CHECK(ARMCI_Malloc(at.data(), unequal(me(), turn)) == 0);
    for (int process = 0; process < size(); process++) {
        void* const place = at[static_cast<size_t>(process)];
        CHECK((place == nullptr) == (unequal(process, turn) == 0));
        CHECK(reinterpret_cast<uintptr_t>(place) % 64 == 0);
    }
    write_to_next(at.data(), unequal(next(), turn), turn);
    ARMCI_Barrier();
    check_written(at[static_cast<size_t>(me())], unequal(me(), turn), turn);
    CHECK(ARMCI_Free(at[static_cast<size_t>(me())]) == 0);
}

}  // namespace

void run_blocks() {
    for (int turn = 0; turn < 6; turn++) {
        unequal_blocks(turn);
    }
    // None at all, also on a device.
    std::vector<void*> at(static_cast<size_t>(size()), &at);
    CHECK(ARMCI_Malloc(at.data(), 0) == 0);
    CHECK(std::all_of(at.begin(), at.end(), [](void* place) { return place == nullptr; }));
    CHECK(ARMCI_Free(nullptr) == 0);
    CHECK(ARMCI_Malloc_memdev(at.data(), unequal(me(), 1), "/dev/null") == 0);
    CHECK(ARMCI_Free_memdev(at[static_cast<size_t>(me())]) == 0);
}

// A process may register fifteen times, so blocks share registrations. Frees are in another order.
void run_many_blocks() {
    constexpr size_t count = 60;
    std::vector<std::vector<void*>> blocks(count, std::vector<void*>(static_cast<size_t>(size())));
    for (size_t i = 0; i < count; i++) {
        CHECK(ARMCI_Malloc(blocks[i].data(), static_cast<armci_size_t>(8 + i % 7 * 40'000)) == 0);
        const long value = me() * 1000 + static_cast<long>(i);
        put_one(value, static_cast<long*>(blocks[i][static_cast<size_t>(next())]), next());
    }
    ARMCI_Barrier();
    for (size_t i = 0; i < count; i++) {
        const size_t chosen = i * 37 % count;
        void* const own = blocks[chosen][static_cast<size_t>(me())];
        CHECK(*static_cast<long*>(own) == next(size() - 1) * 1000 + static_cast<long>(chosen));
        CHECK(ARMCI_Free(own) == 0);
    }
    // All of it is one piece again: the same places come back for ever.
    void* first = nullptr;
    for (int i = 0; i < 300; i++) {
        CHECK(ARMCI_Malloc(blocks[0].data(), 2 << 20) == 0);
        void* const own = blocks[0][static_cast<size_t>(me())];
        first = i == 0 ? own : first;
        CHECK(own == first);
        CHECK(ARMCI_Free(own) == 0);
    }
}

// One process has no room: all learn it, and those that had room keep none of it. CMake runs the case with a limit too,
// in which what 200 turns leave would have no room.
void run_no_room() {
    std::vector<void*> at(static_cast<size_t>(size()));
    for (int turn = 0; turn < 200; turn++) {
        const bool asks_for_too_much = me() == turn % size();
        CHECK(ARMCI_Malloc(at.data(), asks_for_too_much ? armci_size_t{1} << 50 : 3 << 20) != 0);
    }
    Blocks<char> there_is_room(3 << 20);
    there_is_room.own()[5] = 1;
    ARMCI_Barrier();
    CHECK(get_one(there_is_room.at(next()) + 5, next()) == 1);
}

void run_local_memory() {
    Blocks<long> remote(1000);
    ARMCI_Access_begin(remote.own());
    remote.own()[7] = 7;
    ARMCI_Access_end(remote.own());
    CHECK(remote.own()[7] == 7);
    ARMCI_Barrier();
    auto* const local = static_cast<long*>(ARMCI_Malloc_local(1000 * sizeof(long)));
    CHECK(local != nullptr);
    for (int i = 0; i < 1000; i++) {
        local[i] = me() + i;
    }
    CHECK(ARMCI_Put(local, remote.at(next()), 1000 * sizeof(long), next()) == 0);
    std::memset(local, 0, 1000 * sizeof(long));
    CHECK(ARMCI_Get(remote.at(next()), local, 1000 * sizeof(long), next()) == 0);
    CHECK(local[0] == me() && local[999] == me() + 999);
    CHECK(ARMCI_Free_local(local) == 0);
    void* const none = ARMCI_Malloc_local(0);
    CHECK(ARMCI_Free_local(none) == 0 && ARMCI_Free_local(nullptr) == 0);
    CHECK(ARMCI_Malloc_local(armci_size_t{1} << 60) == nullptr);
    long from = 5, to = 0;
    ARMCI_Copy(&from, &to, sizeof(to));
    CHECK(to == 5);
}

// One process makes a segment and tells the others by a message; they put into it, and it frees it.
void run_segments() {
    for (int turn = 0; turn < 3 * size(); turn++) {
        const int maker = turn % size();
        const size_t bytes = sizeof(long) * static_cast<size_t>(size() + 1) + static_cast<size_t>(turn * 5000);
        armci_meminfo_t segment = {};
        if (me() == maker) {
            ARMCI_Memget(bytes, &segment, 0);
            CHECK(segment.cpid == me() && segment.size == bytes && segment.addr != nullptr);
            std::memset(segment.addr, 0, bytes);
        }
        armci_msg_bcast(&segment, sizeof(segment), maker);
        const long offset = sizeof(long) * (me() + 1);
        auto* const mine = static_cast<long*>(ARMCI_Memat(&segment, offset));
        put_one<long>(me() + turn, mine, maker);
        CHECK(get_one(mine, maker) == me() + turn);
        ARMCI_Barrier();
        for (int process = 0; process < size() && me() == maker; process++) {
            CHECK(reinterpret_cast<long*>(segment.addr)[process + 1] == process + turn);
        }
        if (me() != maker) {
            turn % 2 == 0 ? ARMCI_Memdt(&segment, 0) : ARMCI_Memctl(&segment);
        }
        armci_msg_barrier();
        if (me() == maker) {
            ARMCI_Memctl(&segment);
        }
    }
}
