// SPDX-License-Identifier: BSD-3-Clause
// Groups: their members' numbers, children, the default group, memory of a group alone.
#include "check.h"

using namespace armci_test;

namespace {

std::vector<int> every_second(int first) {
    std::vector<int> chosen;
    for (int process = first; process < size(); process += 2) {
        chosen.push_back(process);
    }
    return chosen;
}

ARMCI_Group group_of(std::vector<int> processes) {
    ARMCI_Group group = -1;
    ARMCI_Group_create(static_cast<int>(processes.size()), processes.data(), &group);
    return group;
}

void check_group(ARMCI_Group group, const std::vector<int>& expected) {
    int rank = -1, count = 0;
    ARMCI_Group_size(&group, &count);
    CHECK(count == static_cast<int>(expected.size()));
    CHECK(ARMCI_Group_rank(&group, &rank) == 0);
    CHECK(expected[static_cast<size_t>(rank)] == me());
    for (int member = 0; member < count; member++) {
        CHECK(ARMCI_Absolute_id(&group, member) == expected[static_cast<size_t>(member)]);
    }
    CHECK(ARMCI_Uses_shm_grp(&group) == 0 || ARMCI_Uses_shm_grp(&group) == 1);
}

std::vector<int> all_processes() {
    std::vector<int> all;
    for (int process = 0; process < size(); process++) {
        all.push_back(process);
    }
    return all;
}

}  // namespace

void run_groups() {
    ARMCI_Group world = -1;
    ARMCI_Group_get_world(&world);
    check_group(world, all_processes());
    for (int turn = 0; turn < 20; turn++) {  // as many as are freed may be made
        const std::vector<int> mine = every_second(me() % 2);
        ARMCI_Group group = group_of(mine);
        check_group(group, mine);
        armci_msg_group_barrier(&group);
        // A child: the last member first is against the rule, so the first ones in order, without the last.
        const int some = static_cast<int>(mine.size()) - 1;
        if (some > 0 && me() != mine.back()) {
            std::vector<int> ranks;
            for (int rank = 0; rank < some; rank++) {
                ranks.push_back(rank);
            }
            ARMCI_Group child = -1;
            ARMCI_Group_create_child(some, ranks.data(), &child, &group);
            check_group(child, {mine.begin(), mine.end() - 1});
            ARMCI_GroupFence(&child);
            ARMCI_Group_free(&child);
        }
        ARMCI_Group_free(&group);
    }
    // Alone, and all over again.
    ARMCI_Group alone = group_of({me()});
    check_group(alone, {me()});
    armci_msg_group_barrier(&alone);
    ARMCI_Group_free(&alone);
    ARMCI_Group all = group_of(all_processes());
    check_group(all, all_processes());
    armci_msg_group_barrier(&all);
    ARMCI_Group_free(&all);
}

// Numbers of ARMCI_Group_create() are those of the default group's members.
void run_default_group() {
    ARMCI_Group world = -1, found = -1;
    ARMCI_Group_get_world(&world);
    ARMCI_Group_get_default(&found);
    CHECK(found == world);
    const std::vector<int> mine = every_second(me() % 2);
    ARMCI_Group half = group_of(mine);
    ARMCI_Group_set_default(&half);
    ARMCI_Group_get_default(&found);
    CHECK(found == half);
    if (me() == mine[0]) {
        ARMCI_Group first = group_of({0});
        check_group(first, {me()});
        ARMCI_Group_free(&first);
    }
    ARMCI_Group_set_default(&world);
    ARMCI_Group_free(&half);
    // Work goes on with all processes.
    Blocks<int> block(1);
    put_one(me(), block.at(next()), next());
    ARMCI_Barrier();
    CHECK(*block.own() == next(size() - 1));
}

void run_group_memory() {
    const std::vector<int> mine = every_second(me() % 2);
    ARMCI_Group group = group_of(mine);
    int rank = -1;
    (void)ARMCI_Group_rank(&group, &rank);
    const auto count = mine.size();
    for (int turn = 0; turn < 4; turn++) {
        std::vector<void*> at(count);
        const armci_size_t bytes = 8 + turn * 5000;
        CHECK((turn % 2 == 0 ? ARMCI_Malloc_group(at.data(), bytes, &group)
                             : ARMCI_Malloc_group_memdev(at.data(), bytes, &group, "")) == 0);
        const size_t to = (static_cast<size_t>(rank) + 1) % count;
        put_one<long>(me() + turn, static_cast<long*>(at[to]), mine[to]);
        armci_msg_group_barrier(&group);  // of memory too, as ARMCI_Barrier()
        const int before = mine[(static_cast<size_t>(rank) + count - 1) % count];
        CHECK(*static_cast<long*>(at[static_cast<size_t>(rank)]) == before + turn);
        CHECK(ARMCI_Free_group(at[static_cast<size_t>(rank)], &group) == 0);
    }
    std::vector<void*> at(count);
    CHECK(ARMCI_Malloc_group(at.data(), rank == 0 ? armci_size_t{1} << 50 : 8, &group) != 0);
    ARMCI_Group_free(&group);
}
