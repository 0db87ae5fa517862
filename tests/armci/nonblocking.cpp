// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking calls: with a handle each, with one handle for many, without handles; values, which have no memory to
// keep.
#include "section.h"

using namespace armci_test;

namespace {

constexpr size_t slots = 24, slot_bytes = 2048;

// Slots at a process that only this one writes.
struct Slots {
    Blocks<uint8_t> blocks{slots * slot_bytes * static_cast<size_t>(size())};
    std::vector<uint8_t> local = std::vector<uint8_t>(slots * slot_bytes), model = local;

    uint8_t* there(size_t slot, int process) const {
        return blocks.at(process) + (static_cast<size_t>(me()) * slots + slot) * slot_bytes;
    }
    uint8_t* here(size_t slot) { return local.data() + slot * slot_bytes; }
    uint8_t* expected(size_t slot) { return model.data() + slot * slot_bytes; }
};

// One operation of each kind, by the number of its slot. The source is this process's `here`; `expected` follows.
void start_put(Slots* all, Random* random, size_t slot, int process, armci_hdl_t* handle) {
    uint8_t* const here = all->here(slot);
    uint8_t* const there = all->there(slot, process);
    uint8_t* const expected = all->expected(slot);
    if (slot % 3 == 0) {
        const int bytes = random->between(0, slot_bytes);
        CHECK(ARMCI_NbPut(here, there, bytes, process, handle) == 0);
        std::memcpy(expected, here, static_cast<size_t>(bytes));
    } else if (slot % 3 == 1) {
        Section section = draw_section(random, 1, slot_bytes);
        CHECK(ARMCI_NbPutS(here, section.local, there, section.remote, section.count, section.levels, process,
                           handle) == 0);
        for_each_run(section, [&](size_t from, size_t to) {
            std::memcpy(expected + to, here + from, static_cast<size_t>(section.count[0]));
        });
    } else {
        const List list = draw_list(random, 1, slot_bytes);
        Giov pieces(list, here, true, there);
        CHECK(ARMCI_NbPutV(pieces.data(), pieces.length(), process, handle) == 0);
        for_each_piece(list,
                       [&](size_t from, size_t to, size_t bytes) { std::memcpy(expected + to, here + from, bytes); });
    }
}

// A get of what is at the process, as `expected` knows it. `local` becomes `wanted`, once it is waited for.
void start_get(Slots* all, Random* random, size_t slot, int process, armci_hdl_t* handle, uint8_t* wanted) {
    uint8_t* const here = all->here(slot);
    uint8_t* const there = all->there(slot, process);
    const uint8_t* const model = all->expected(slot);
    std::memcpy(wanted, here, slot_bytes);
    if (slot % 3 == 2) {
        const int bytes = random->between(0, slot_bytes);
        CHECK(ARMCI_NbGet(there, here, bytes, process, handle) == 0);
        std::memcpy(wanted, model, static_cast<size_t>(bytes));
    } else if (slot % 3 == 1) {
        Section section = draw_section(random, 1, slot_bytes);
        CHECK(ARMCI_NbGetS(there, section.remote, here, section.local, section.count, section.levels, process,
                           handle) == 0);
        for_each_run(section, [&](size_t to, size_t from) {
            std::memcpy(wanted + to, model + from, static_cast<size_t>(section.count[0]));
        });
    } else {
        const List list = draw_list(random, 1, slot_bytes);
        Giov pieces(list, there, false, here);
        CHECK(ARMCI_NbGetV(pieces.data(), pieces.length(), process, handle) == 0);
        for_each_piece(list,
                       [&](size_t to, size_t from, size_t bytes) { std::memcpy(wanted + to, model + from, bytes); });
    }
}

void check_there(Slots* all, int process) {
    std::vector<uint8_t> found(slots * slot_bytes);
    CHECK(ARMCI_Get(all->there(0, process), found.data(), static_cast<int>(found.size()), process) == 0);
    CHECK_SAME(found.data(), all->model.data(), found.size());
}

void complete(armci_hdl_t* handle, bool by_test) {
    if (by_test) {
        int status = 1;
        while ((status = ARMCI_Test(handle)) != 0) {
            CHECK(status == 1);
        }
    }
    CHECK(ARMCI_Wait(handle) == 0);  // of one that is complete, too
}

}  // namespace

// Handles are waited for in another order, by ARMCI_Wait() and ARMCI_Test(), and used again without being initialised.
void run_handles() {
    Slots all;
    Random random(static_cast<uint64_t>(me()) + 1);
    const int process = next();
    armci_hdl_t handles[slots];
    for (armci_hdl_t& handle : handles) {
        ARMCI_INIT_HANDLE(&handle);
        CHECK(ARMCI_Wait(&handle) == 0 && ARMCI_Test(&handle) == 0);
    }
    for (int turn = 0; turn < 4; turn++) {
        random.fill(all.local.data(), all.local.size());
        for (size_t slot = 0; slot < slots; slot++) {
            start_put(&all, &random, slot, process, &handles[slot]);
        }
        for (size_t i = 0; i < slots; i++) {
            complete(&handles[i * 7 % slots], i % 2 == 0);
        }
        check_there(&all, process);
        std::vector<uint8_t> wanted(all.local.size());
        for (size_t slot = 0; slot < slots; slot++) {
            start_get(&all, &random, slot, process, &handles[slot], wanted.data() + slot * slot_bytes);
        }
        for (size_t i = 0; i < slots; i++) {
            complete(&handles[i * 5 % slots], i % 3 == 0);
        }
        CHECK_SAME(all.local.data(), wanted.data(), wanted.size());
    }
    ARMCI_Barrier();
}

// Without handles, to all processes in turn.
void run_implicit() {
    Random random(static_cast<uint64_t>(me()) + 1);
    for (int distance = 0; distance < size(); distance++) {
        Slots all;
        const int process = next(distance);
        random.fill(all.local.data(), all.local.size());
        for (size_t slot = 0; slot < slots; slot++) {
            start_put(&all, &random, slot, process, nullptr);
        }
        CHECK((distance % 2 == 0 ? ARMCI_WaitProc(process) : ARMCI_WaitAll()) == 0);
        check_there(&all, process);
        std::vector<uint8_t> wanted(all.local.size());
        for (size_t slot = 0; slot < slots; slot++) {
            start_get(&all, &random, slot, process, nullptr, wanted.data() + slot * slot_bytes);
        }
        CHECK((distance % 2 == 0 ? ARMCI_WaitAll() : ARMCI_WaitProc(process)) == 0);
        CHECK_SAME(all.local.data(), wanted.data(), wanted.size());
    }
}

// One handle for puts, and for accumulates of all processes; then for one operation again.
void run_aggregate() {
    Slots all;
    Random random(static_cast<uint64_t>(me()) + 1);
    const int process = next();
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    random.fill(all.local.data(), all.local.size());
    for (size_t slot = 0; slot < slots; slot++) {
        start_put(&all, &random, slot, process, &handle);
    }
    complete(&handle, false);
    check_there(&all, process);
    std::vector<uint8_t> wanted(all.local.size());
    for (size_t slot = 0; slot < slots; slot++) {
        start_get(&all, &random, slot, process, &handle, wanted.data() + slot * slot_bytes);
    }
    complete(&handle, true);
    CHECK_SAME(all.local.data(), wanted.data(), wanted.size());

    Blocks<long> sums(64);
    std::vector<long> ones(64, 1);
    long scale = 2;
    Section half = {.levels = 1, .count = {8, 32}, .local = {16}, .remote = {16}};
    for (int target = 0; target < size(); target++) {
        CHECK(ARMCI_NbAccS(ARMCI_ACC_LNG, &scale, ones.data(), half.local, sums.at(target), half.remote, half.count, 1,
                           target, &handle) == 0);
        void *from = ones.data(), *to = sums.at(target) + 1;
        armci_giov_t piece = {&from, &to, 1, 8};
        CHECK(ARMCI_NbAccV(ARMCI_ACC_LNG, &scale, &piece, 1, target, &handle) == 0);
    }
    CHECK(ARMCI_Wait(&handle) == 0);
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
    ARMCI_Barrier();
    for (int i = 0; i < 64; i++) {
        CHECK(sums.own()[i] == (i % 2 == 0 || i == 1 ? 2 * size() : 0));
    }
    ARMCI_Barrier();
    CHECK(ARMCI_NbPut(ones.data(), sums.at(process), 8, process, &handle) == 0);
    complete(&handle, true);
    CHECK(ARMCI_GetValueLong(sums.at(process), process) == 1);
    ARMCI_Barrier();
}

void run_values() {
    struct Values {
        int i;
        long l;
        float f;
        double d;
    };
    Blocks<Values> blocks(static_cast<size_t>(size()) * 2);
    for (int process = 0; process < size(); process++) {
        Values* const one = blocks.at(process) + me() * 2;
        CHECK(ARMCI_PutValueInt(-me() - 7, &one[0].i, process) == 0);
        CHECK(ARMCI_PutValueLong(-(1L << 40) - me(), &one[0].l, process) == 0);
        CHECK(ARMCI_PutValueFloat(0.5f + static_cast<float>(me()), &one[0].f, process) == 0);
        CHECK(ARMCI_PutValueDouble(-0.25 + me(), &one[0].d, process) == 0);
        armci_hdl_t handle[2];
        ARMCI_INIT_HANDLE(&handle[0]);
        ARMCI_INIT_HANDLE(&handle[1]);
        CHECK(ARMCI_NbPutValueInt(me(), &one[1].i, process, &handle[0]) == 0);
        CHECK(ARMCI_NbPutValueLong(1L << 41, &one[1].l, process, nullptr) == 0);
        CHECK(ARMCI_NbPutValueFloat(1.5f, &one[1].f, process, &handle[1]) == 0);
        CHECK(ARMCI_NbPutValueDouble(2.5, &one[1].d, process, nullptr) == 0);
        CHECK(ARMCI_Wait(&handle[0]) == 0 && ARMCI_Wait(&handle[1]) == 0 && ARMCI_WaitProc(process) == 0);
        CHECK(ARMCI_GetValueInt(&one[0].i, process) == -me() - 7 && ARMCI_GetValueInt(&one[1].i, process) == me());
        CHECK(ARMCI_GetValueLong(&one[0].l, process) == -(1L << 40) - me());
        CHECK(ARMCI_GetValueFloat(&one[0].f, process) == 0.5f + static_cast<float>(me()));
        CHECK(ARMCI_GetValueDouble(&one[0].d, process) == -0.25 + me());
    }
    ARMCI_Barrier();
    for (int process = 0; process < size(); process++) {
        const Values* const one = blocks.own() + process * 2;
        CHECK(one[0].i == -process - 7 && one[1].l == 1L << 41 && one[1].f == 1.5f && one[1].d == 2.5);
    }
    ARMCI_Barrier();
}
