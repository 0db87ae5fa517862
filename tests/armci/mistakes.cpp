// SPDX-License-Identifier: BSD-3-Clause
// Method: `mistakes <what>` makes one wrong call in a job of several processes, mostly at process 1, while the others
// wait for it in the barrier. `mistakes --list` prints each with the expected exit code (0: any but 0) and error
// message; mistakes.sh compares. refusals.cpp has the mistakes that a process can know alone.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "check.h"

using namespace armci_test;

namespace {

void* blocks[64];
constexpr int block_bytes = 4096;
char local[2 * block_bytes];
int number = 1;

void* at(int process) {
    return blocks[process];
}

ARMCI_Group group_of_others() {  // of all but process 1
    int members[64], count = 0;
    for (int process = 0; process < size(); process++) {
        if (process != 1) {
            members[count++] = process;
        }
    }
    ARMCI_Group group = -1;
    ARMCI_Group_create(count, members, &group);
    return group;
}

// Only process 1 does it.
#define ONE(...)     \
    if (me() == 1) { \
        __VA_ARGS__; \
    }

void lock_held_by_another() {
    ARMCI_Create_mutexes(1);
    if (me() == 2) {
        ARMCI_Lock(0, 0);
    }
    ARMCI_Barrier();
    ONE(ARMCI_Unlock(0, 0))
}

// On one node the get is over when its call returns, and nothing is wrong.
void free_what_is_gotten() {
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    if (me() != 1) {
        ARMCI_NbGet(at(1), local, block_bytes, 1, &handle);
    }
    ARMCI_Free(at(me()));  // the handle is not waited for
}

void free_another_block() {
    void* others[64];
    ARMCI_Malloc(others, block_bytes);
    ARMCI_Free(me() == 1 ? others[1] : at(me()));
}

struct Mistake {
    const char* name;
    int code;  // 0: any but 0
    const char* says;
    void (*make)();
    bool joins = true;
};

const Mistake mistakes[] = {
    {"put_stack", 0, "process 1: ARMCI_Put: target: .*", [] { ONE(ARMCI_Put(local, local, 8, 0)) }},
    {"put_beyond", 0, "process 1: ARMCI_Put: target: .*",
     [] { ONE(ARMCI_Put(local, static_cast<char*>(at(0)) + 8, block_bytes, 0)) }},
    {"get_block_of_another", 0, "process 1: ARMCI_Get: source: .*",
     [] { ONE(ARMCI_Get(static_cast<char*>(at(0)) + (1 << 30), local, 8, 0)) }},
    {"acc_rank", 0, "process 1: ARMCI_Acc: process .*",
     [] { ONE(ARMCI_Acc(ARMCI_ACC_INT, &number, local, at(0), 8, size())) }},
    {"put_freed", 0, "process 1: ARMCI_PutS: target: .*",
     [] {
         ARMCI_Free(at(me()));
         ONE(int bytes = 8; ARMCI_PutS(local, nullptr, at(0), nullptr, &bytes, 0, 0))
     }},
    {"rmw_freed", 0, "process 1: ARMCI_Rmw: remote: .*",
     [] {
         ARMCI_Free(at(me()));
         ONE(ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &number, at(0), 1, 0))
     }},
    {"free_twice", 0, "process 1: ARMCI_Free: address: .*",
     [] {
         ARMCI_Free(at(me()));
         ARMCI_Free(me() == 1 ? at(1) : nullptr);
     }},
    {"free_what_is_gotten", 0, "process [0-9]: ARMCI_Free: address: .*", free_what_is_gotten},
    {"free_another_block", 0, "process [0-9]: ARMCI_Free: address: .*", free_another_block},
    {"free_inside", 0, "process 1: ARMCI_Free: address: .*",
     [] { ARMCI_Free(me() == 1 ? static_cast<char*>(at(1)) + 64 : at(me())); }},
    {"malloc_negative", 0, "process 1: ARMCI_Malloc: bytes .*", [] { ARMCI_Malloc(blocks, me() == 1 ? -1 : 8); }},
    {"not_a_member", 0, "process 1: ARMCI_Malloc_group: group.*",
     [] {
         ARMCI_Group group = group_of_others();
         ARMCI_Malloc_group(blocks, 8, &group);
     }},
    {"not_a_member_barrier", 0, "process 1: armci_msg_group_barrier: group.*",
     [] {
         ARMCI_Group group = group_of_others();
         armci_msg_group_barrier(&group);
     }},
    {"not_a_member_sum", 0, "process 1: armci_msg_group_igop: group.*",
     [] {
         ARMCI_Group group = group_of_others();
         armci_msg_group_igop(&number, 1, text("+"), &group);
     }},
    {"no_mutex", 0, "process 1: ARMCI_Lock: .*mutex.*",
     [] {
         ARMCI_Create_mutexes(me() == 0 ? 2 : 0);
         ONE(ARMCI_Lock(0, 2))
     }},
    {"unlock_not_held", 0, "process 1: ARMCI_Unlock: .*mutex.*",
     [] {
         ARMCI_Create_mutexes(2);
         ONE(ARMCI_Unlock(1, 0))
     }},
    {"unlock_of_another", 0, "process 1: ARMCI_Unlock: .*mutex.*", lock_held_by_another},
    {"lock_twice", 0, "process 1: ARMCI_Lock: .*mutex.*",
     [] {
         ARMCI_Create_mutexes(2);
         ONE(ARMCI_Lock(1, 2); ARMCI_Lock(1, 2))
     }},
    {"destroy_held", 0, "process 1: ARMCI_Destroy_mutexes: .*mutex.*",
     [] {
         ARMCI_Create_mutexes(1);
         ONE(ARMCI_Lock(0, 0))
         ARMCI_Barrier();
         ARMCI_Destroy_mutexes();
     }},
    {"message_too_long", 0, "process 1: armci_msg_rcv: .*bytes.*",
     [] {
         ONE(int length; armci_msg_rcv(1, local, 99, &length, 0))
         if (me() == 0) {
             armci_msg_snd(1, local, 100, 1);
         }
     }},
    {"root", 0, "process [0-9]: armci_msg_bcast: root .*", [] { armci_msg_bcast(&number, 4, size()); }},
    {"sum_operation", 0, "process [0-9]: armci_msg_igop: operation .*",
     [] { armci_msg_igop(&number, 1, text("xor")); }},
    {"sum_counts", 0, "process [0-9]: armci_msg_igop: .*bytes.*",
     [] {
         int numbers[2000] = {};
         armci_msg_igop(numbers, me() == 1 ? 2000 : 3, text("+"));
     }},
    {"broadcast_lengths", 0, "process [0-9]: armci_msg_bcast: .*bytes.*",
     [] { armci_msg_bcast(local, me() == 1 ? 80 : 8, 0); }},
    {"handle_twice", 0, "process 1: ARMCI_NbGet: handle .*",
     [] {
         armci_hdl_t handle;
         ARMCI_INIT_HANDLE(&handle);
         ONE(ARMCI_NbGet(at(0), local, 8, 0, &handle); ARMCI_NbGet(at(2), local + 8, 8, 2, &handle))
     }},
    {"before_init", 0, "ARMCI: ARMCI_Put: call ARMCI_Init\\(\\) first .*",
     [] {
         const char* const rank = std::getenv("SYNCLINE_RANK");
         if (rank != nullptr && *rank == '1') {
             ARMCI_Put(local, local, 8, 0);
         }
         ARMCI_Init();
     },
     false},
    {"after_finalize", 0, "ARMCI: ARMCI_Barrier: .*ARMCI_Finalize\\(\\).*",
     [] {
         ARMCI_Finalize();
         ARMCI_Barrier();
     }},
    {"error", 7, "process 1: the sun has set.*", [] { ONE(ARMCI_Error("the sun has set", 7)) }},
    {"error_zero", 0, "process 1: the sun has set.*", [] { ONE(ARMCI_Error("the sun has set", 0)) }},
    {"abort", 3, "process 1: armci_msg_abort.*", [] { ONE(armci_msg_abort(3)) }},
};

void list() {
    for (const Mistake& one : mistakes) {
        std::printf("%s\t%d\t%s\n", one.name, one.code, one.says);
    }
}

void make(const Mistake& one) {
    if (one.joins) {
        ARMCI_Init();
        CHECK(ARMCI_Malloc(blocks, block_bytes) == 0);
    }
    one.make();
    ARMCI_Barrier();
    ARMCI_Finalize();
}

}  // namespace

int main(int, char** argv) {
    for (const Mistake& one : mistakes) {
        if (argv[1] != nullptr && std::strcmp(one.name, argv[1]) == 0) {
            make(one);
            return 0;
        }
    }
    list();
    return argv[1] != nullptr && std::strcmp(argv[1], "--list") == 0 ? 0 : 2;
}
