// SPDX-License-Identifier: BSD-3-Clause
// Memory, synchronisation, groups, messages, and calls in a wrong order.
#include <climits>

#include "refusals.h"

namespace armci_test {
namespace {

#define ALONE(NAME, SAYS, ...) {#NAME, SAYS, [] { NAME(__VA_ARGS__); }}
#define DOES(NAME, SAYS, ...) {#NAME, SAYS, [] { __VA_ARGS__; }}

int number = 1, ranks[] = {0, 1}, twice[] = {0, 0};
long wide = 1;
void* addresses[4];
armci_meminfo_t segment;
char plus[] = "+", least[] = "min", unknown[] = "xor", or_bits[] = "or";
double real[4];
ARMCI_Group world = 0, none = 77, negative = -1, group = 0;

ARMCI_Group* freed_group() {
    ARMCI_Group_create(1, ranks, &group);
    static ARMCI_Group copy;
    copy = group;
    ARMCI_Group_free(&group);
    return &copy;
}

void hold() {
    ARMCI_Create_mutexes(2);
    ARMCI_Lock(1, 0);
}

}  // namespace

std::vector<Refusal> refusals_of_memory() {
    return {
        ALONE(ARMCI_Malloc, "addresses", nullptr, 8), ALONE(ARMCI_Malloc, "bytes", addresses, -1),
            ALONE(ARMCI_Malloc, "bytes", addresses, LONG_MIN),
            ALONE(ARMCI_Malloc_memdev, "bytes", addresses, -1, "device"),
            ALONE(ARMCI_Malloc_group, "group", addresses, 8, &none),
            ALONE(ARMCI_Malloc_group, "bytes", addresses, -8, &world),
            ALONE(ARMCI_Malloc_group_memdev, "group", addresses, 8, &negative, "device"),
            ALONE(ARMCI_Malloc_local, "bytes", -1), ALONE(ARMCI_Free, "address", memory.freed),
            ALONE(ARMCI_Free, "address", memory.block + 64), ALONE(ARMCI_Free, "address", memory.local),
            DOES(ARMCI_Free, "address", ARMCI_Free(memory.block); ARMCI_Free(memory.block)),
            DOES(ARMCI_Free, "address", ARMCI_Free(ARMCI_Malloc_local(8))),
            // It is under way still.
            DOES(ARMCI_Free, "address", armci_hdl_t handle; ARMCI_INIT_HANDLE(&handle);
                 ARMCI_NbGet(memory.block, memory.local, block_bytes, 0, &handle); ARMCI_Free(memory.block + 1)),
            ALONE(ARMCI_Memget, "bytes", 0, &segment, 0), ALONE(ARMCI_Memget, "segment", 8, nullptr, 0),
            ALONE(ARMCI_Memget, "flags", 8, &segment, 1), ALONE(ARMCI_Memat, "segment", nullptr, 0),
            ALONE(ARMCI_Memat, "segment", &segment, 0),  // not made
            DOES(ARMCI_Memat, "offset", ARMCI_Memget(8, &segment, 0); ARMCI_Memat(&segment, 9)),
            DOES(ARMCI_Memat, "offset", ARMCI_Memget(8, &segment, 0); ARMCI_Memat(&segment, -1)),
            ALONE(ARMCI_Memdt, "segment", nullptr, 0), ALONE(ARMCI_Memctl, "segment", nullptr),
            DOES(ARMCI_Memctl, "segment", ARMCI_Memget(8, &segment, 0); ARMCI_Memctl(&segment); ARMCI_Memctl(&segment)),
            ALONE(ARMCI_Free_memdev, "address", memory.local), ALONE(ARMCI_Free_group, "group", memory.block, &none),
            ALONE(ARMCI_Free_group, "address", memory.local, &world), ALONE(ARMCI_Free_local, "address", memory.local),
            ALONE(ARMCI_Free_local, "address", memory.block),
            DOES(ARMCI_Free_local, "address", void* const at = ARMCI_Malloc_local(8); ARMCI_Free_local(at);
                 ARMCI_Free_local(at)),
    };
}

std::vector<Refusal> refusals_of_synchronisation() {
    const auto block = [](int at) { return reinterpret_cast<int*>(memory.block + at); };
    return {
        ALONE(ARMCI_Fence, "process", 1), ALONE(ARMCI_Fence, "process", -1), ALONE(ARMCI_GroupFence, "group", &none),
            ALONE(armci_notify, "process", 5), ALONE(armci_notify_wait, "process", -1, &number),
            DOES(ARMCI_Put_flag, "flag", ARMCI_Put_flag(memory.local, memory.block, 8, nullptr, 1, 0)),
            DOES(ARMCI_Put_flag, "flag", ARMCI_Put_flag(memory.local, memory.block, 8, &number, 1, 0)),
            DOES(ARMCI_Put_flag, "flag",
                 ARMCI_Put_flag(memory.local, memory.block, 8, reinterpret_cast<int*>(memory.block + 2), 1, 0)),
            DOES(ARMCI_PutS_flag, "flag", int bytes = 8;
                 ARMCI_PutS_flag(memory.local, nullptr, memory.block, nullptr, &bytes, 0, &number, 1, 0)),
            DOES(ARMCI_PutS_flag_dir, "flag", int bytes = 8;
                 ARMCI_PutS_flag_dir(memory.local, nullptr, memory.block, nullptr, &bytes, 0, &number, 1, 0)),
            ALONE(ARMCI_Rmw, "operation", 99, &number, memory.block, 1, 0),
            ALONE(ARMCI_Rmw, "operation", 0, &number, memory.block, 1, 0),
            ALONE(ARMCI_Rmw, "local", ARMCI_FETCH_AND_ADD, nullptr, memory.block, 1, 0),
            ALONE(ARMCI_Rmw, "local", ARMCI_SWAP_LONG, nullptr, memory.block, 1, 0),
            ALONE(ARMCI_Rmw, "remote", ARMCI_FETCH_AND_ADD, &number, nullptr, 1, 0),
            ALONE(ARMCI_Rmw, "remote", ARMCI_SWAP, &number, memory.local, 1, 0),
            ALONE(ARMCI_Rmw, "remote", ARMCI_SWAP, &number, memory.freed, 1, 0),
            ALONE(ARMCI_Rmw, "remote", ARMCI_FETCH_AND_ADD, &number, memory.block + 2, 1, 0),
            ALONE(ARMCI_Rmw, "remote", ARMCI_FETCH_AND_ADD_LONG, &wide, memory.block + 4, 1, 0),
            ALONE(ARMCI_Rmw, "remote", ARMCI_FETCH_AND_ADD_LONG, &wide, memory.block + block_bytes - 4, 1, 0),
            ALONE(ARMCI_Rmw, "process", ARMCI_FETCH_AND_ADD, &number, memory.block, 1, 1),
            ALONE(ARMCI_Create_mutexes, "count", -1),
            DOES(ARMCI_Create_mutexes, "already", ARMCI_Create_mutexes(1); ARMCI_Create_mutexes(1)),
            DOES(ARMCI_Destroy_mutexes, "mutexes", ARMCI_Destroy_mutexes()),
            DOES(ARMCI_Destroy_mutexes, "mutexes", hold(); ARMCI_Destroy_mutexes()),
            DOES(ARMCI_Lock, "mutexes", ARMCI_Lock(0, 0)),
            DOES(ARMCI_Lock, "mutex", ARMCI_Create_mutexes(2); ARMCI_Lock(2, 0)),
            DOES(ARMCI_Lock, "mutex", ARMCI_Create_mutexes(2); ARMCI_Lock(-1, 0)),
            DOES(ARMCI_Lock, "process", ARMCI_Create_mutexes(2); ARMCI_Lock(0, 1)),
            DOES(ARMCI_Lock, "mutex", hold(); ARMCI_Lock(1, 0)), DOES(ARMCI_Unlock, "mutexes", ARMCI_Unlock(0, 0)),
            DOES(ARMCI_Unlock, "mutex", hold(); ARMCI_Unlock(0, 0)),
            DOES(ARMCI_Unlock, "mutex", hold(); ARMCI_Unlock(2, 0)),
            DOES(ARMCI_Unlock, "mutex", hold(); ARMCI_Unlock(1, 0); ARMCI_Unlock(1, 0)),
            DOES(ARMCI_Unlock, "process", hold(); ARMCI_Unlock(1, -1)),
            {"ARMCI_Rmw", "remote", [=] { ARMCI_Rmw(ARMCI_SWAP, &number, block(block_bytes), 1, 0); }},
    };
}

std::vector<Refusal> refusals_of_groups() {
    return {
        ALONE(ARMCI_Group_create, "count", 0, ranks, &group),
        ALONE(ARMCI_Group_create, "count", -1, ranks, &group),
        ALONE(ARMCI_Group_create, "processes", 1, nullptr, &group),
        ALONE(ARMCI_Group_create, "processes", 2, ranks, &group),  // rank 1 is none
        ALONE(ARMCI_Group_create, "processes", 1, const_cast<int*>(&negative), &group),
        ALONE(ARMCI_Group_create, "group", 1, ranks, nullptr),
        ALONE(ARMCI_Group_create, "count|processes", 2, twice, &group),
        ALONE(ARMCI_Group_create_child, "parent", 1, ranks, &group, &none),
        ALONE(ARMCI_Group_create_child, "group", 1, ranks, nullptr, &world),
        ALONE(ARMCI_Group_free, "group", &none),
        ALONE(ARMCI_Group_free, "group", &world),
        ALONE(ARMCI_Group_free, "group", nullptr),
        DOES(ARMCI_Group_free, "group", ARMCI_Group_free(freed_group())),
        ALONE(ARMCI_Group_rank, "group", &none, &number),
        ALONE(ARMCI_Group_rank, "rank", &world, nullptr),
        DOES(ARMCI_Group_rank, "group", ARMCI_Group_rank(freed_group(), &number)),
        ALONE(ARMCI_Group_size, "group", &negative, &number),
        ALONE(ARMCI_Group_size, "size", &world, nullptr),
        ALONE(ARMCI_Group_set_default, "group", &none),
        ALONE(ARMCI_Group_get_default, "group", nullptr),
        ALONE(ARMCI_Group_get_world, "group", nullptr),
        ALONE(ARMCI_Absolute_id, "rank", &world, 1),
        ALONE(ARMCI_Absolute_id, "rank", &world, -1),
        ALONE(ARMCI_Absolute_id, "group", &none, 0),
        ALONE(ARMCI_Same_node, "process", 1),
        ALONE(armci_sameclusnode, "process", -1),
        ALONE(armci_domain_id, "process", ARMCI_DOMAIN_SMP, 1),
        ALONE(armci_domain_id, "domain", 9, 0),
        ALONE(armci_domain_same_id, "process", ARMCI_DOMAIN_SMP, 1),
        ALONE(armci_domain_nprocs, "id", ARMCI_DOMAIN_SMP, 1),
        ALONE(armci_domain_glob_proc_id, "id", ARMCI_DOMAIN_SMP, 1, 0),
        ALONE(armci_domain_glob_proc_id, "index", ARMCI_DOMAIN_SMP, 0, 1),
        ALONE(armci_domain_glob_proc_id, "index", ARMCI_DOMAIN_SMP, 0, -1),
        ALONE(armci_msg_group_barrier, "group", &none),
        DOES(armci_msg_group_barrier, "group", armci_msg_group_barrier(freed_group())),
        ALONE(armci_msg_group_igop, "group", &number, 1, plus, &none),
        ALONE(armci_msg_group_dgop, "count", real, -1, plus, &world),
        ALONE(armci_msg_group_gop_scope, "scope", 5, &number, 1, plus, ARMCI_INT, &world),
        ALONE(armci_msg_group_bcast_scope, "root", SCOPE_ALL, &number, 4, 1, &world),
        ALONE(armci_msg_group_bcast_scope, "group", SCOPE_ALL, &number, 4, 0, &none),
        ALONE(armci_grp_clus_brdcst, "group", &number, 4, 0, 1, &none),
        ALONE(armci_exchange_address_grp, "group", addresses, 1, &none),
    };
}

std::vector<Refusal> refusals_of_messages() {
    return {
        ALONE(armci_msg_snd, "buffer", 1, nullptr, 4, 0), ALONE(armci_msg_snd, "bytes", 1, &number, -4, 0),
            ALONE(armci_msg_snd, "to", 1, &number, 4, 1), ALONE(armci_msg_snd, "to", 1, &number, 4, -1),
            ALONE(armci_msg_rcv, "buffer", 1, nullptr, 4, &number, 0),
            ALONE(armci_msg_rcv, "bytes", 1, &number, -4, &number, 0),
            ALONE(armci_msg_rcv, "from", 1, &number, 4, &number, 1),
            DOES(armci_msg_rcv, "bytes", armci_msg_snd(1, memory.local, 100, 0);
                 armci_msg_rcv(1, memory.local, 99, &number, 0)),
            DOES(armci_msg_rcvany, "bytes", armci_msg_snd(1, memory.local, 4000, 0);
                 armci_msg_rcvany(1, memory.local, 4, &number)),
            ALONE(armci_msg_rcvany, "buffer", 1, nullptr, 4, &number), ALONE(armci_msg_bcast, "root", &number, 4, 1),
            ALONE(armci_msg_bcast, "buffer", nullptr, 4, 0), ALONE(armci_msg_brdcst, "bytes", &number, -1, 0),
            ALONE(armci_msg_bcast_scope, "scope", 0, &number, 4, 0),
            ALONE(armci_msg_bcast_scope, "root", SCOPE_NODE, &number, 4, -1),
            ALONE(armci_msg_clus_brdcst, "buffer", nullptr, 4),
            ALONE(armci_msg_bintree, "scope", 1, &number, &number, &number, &number),
            ALONE(armci_msg_bintree, "left", SCOPE_ALL, &number, &number, nullptr, &number),
            ALONE(armci_msg_igop, "numbers", nullptr, 1, plus), ALONE(armci_msg_igop, "count", &number, -1, plus),
            ALONE(armci_msg_igop, "operation", &number, 1, nullptr),
            ALONE(armci_msg_igop, "operation", &number, 1, unknown),
            ALONE(armci_msg_lgop, "operation", &wide, 1, unknown), ALONE(armci_msg_llgop, "numbers", nullptr, 1, plus),
            ALONE(armci_msg_dgop, "operation", real, 1, or_bits),  // of integers only
            ALONE(armci_msg_fgop, "operation", reinterpret_cast<float*>(real), 1, or_bits),
            ALONE(armci_msg_clus_igop, "count", &number, -1, plus),
            ALONE(armci_msg_clus_lgop, "operation", &wide, 1, unknown),
            ALONE(armci_msg_clus_llgop, "numbers", nullptr, 1, plus),
            ALONE(armci_msg_clus_fgop, "operation", reinterpret_cast<float*>(real), 1, unknown),
            ALONE(armci_msg_clus_dgop, "operation", real, 1, nullptr),
            ALONE(armci_msg_gop_scope, "type", SCOPE_ALL, &number, 1, plus, 0),
            ALONE(armci_msg_gop_scope, "type", SCOPE_ALL, &number, 1, plus, ARMCI_ACC_INT),
            ALONE(armci_msg_gop_scope, "scope", 99, &number, 1, plus, ARMCI_INT),
            ALONE(armci_msg_reduce_scope, "scope", 99, &number, 1, plus, ARMCI_INT),
            ALONE(armci_msg_reduce_scope, "type", SCOPE_ALL, &number, 1, plus, 3),
            ALONE(armci_msg_reduce, "operation", &number, 1, unknown, ARMCI_INT),
            ALONE(armci_msg_reduce, "numbers", nullptr, 1, plus, ARMCI_INT),
            ALONE(armci_msg_sel_scope, "operation", SCOPE_ALL, &number, 4, plus, ARMCI_INT, 1),  // neither min nor max
            ALONE(armci_msg_sel_scope, "bytes", SCOPE_ALL, &number, 0, least, ARMCI_INT, 1),
            ALONE(armci_msg_sel_scope, "bytes", SCOPE_ALL, &number, 3, least, ARMCI_INT, 1),
            ALONE(armci_msg_sel_scope, "type", SCOPE_ALL, &number, 4, least, 0, 1),
            ALONE(armci_msg_sel_scope, "scope", 1, &number, 4, least, ARMCI_INT, 1),
            ALONE(armci_exchange_address, "addresses", nullptr, 1),
            ALONE(armci_exchange_address, "count", addresses, -1),
    };
}

namespace {

// Every call that needs the job, with arguments that would be good.
struct Good {
    const char* name;
    void (*make)();
};
#define GOOD(NAME, ...) {#NAME, [] { NAME(__VA_ARGS__); }}
int bytes = 8;
armci_hdl_t handle;
const Good calls[] = {
    GOOD(ARMCI_Malloc, addresses, 8),
    GOOD(ARMCI_Free, nullptr),
    GOOD(ARMCI_Malloc_group, addresses, 8, &world),
    GOOD(ARMCI_Free_group, nullptr, &world),
    GOOD(ARMCI_Malloc_memdev, addresses, 8, ""),
    GOOD(ARMCI_Free_memdev, nullptr),
    GOOD(ARMCI_Malloc_group_memdev, addresses, 8, &world, ""),
    GOOD(ARMCI_Put, memory.local, memory.local, 8, 0),
    GOOD(ARMCI_Get, memory.local, memory.local, 8, 0),
    GOOD(ARMCI_Acc, ARMCI_ACC_INT, &number, memory.local, memory.local, 8, 0),
    GOOD(ARMCI_PutS, memory.local, nullptr, memory.local, nullptr, &bytes, 0, 0),
    GOOD(ARMCI_GetS, memory.local, nullptr, memory.local, nullptr, &bytes, 0, 0),
    GOOD(ARMCI_AccS, ARMCI_ACC_INT, &number, memory.local, nullptr, memory.local, nullptr, &bytes, 0, 0),
    GOOD(ARMCI_PutV, nullptr, 0, 0),
    GOOD(ARMCI_GetV, nullptr, 0, 0),
    GOOD(ARMCI_AccV, ARMCI_ACC_INT, &number, nullptr, 0, 0),
    GOOD(ARMCI_NbPut, memory.local, memory.local, 8, 0, &handle),
    GOOD(ARMCI_NbGet, memory.local, memory.local, 8, 0, nullptr),
    GOOD(ARMCI_NbPutS, memory.local, nullptr, memory.local, nullptr, &bytes, 0, 0, &handle),
    GOOD(ARMCI_NbGetS, memory.local, nullptr, memory.local, nullptr, &bytes, 0, 0, &handle),
    GOOD(ARMCI_NbAcc, ARMCI_ACC_INT, &number, memory.local, memory.local, 8, 0, &handle),
    GOOD(ARMCI_NbAccS, ARMCI_ACC_INT, &number, memory.local, nullptr, memory.local, nullptr, &bytes, 0, 0, &handle),
    GOOD(ARMCI_NbPutV, nullptr, 0, 0, &handle),
    GOOD(ARMCI_NbGetV, nullptr, 0, 0, &handle),
    GOOD(ARMCI_NbAccV, ARMCI_ACC_INT, &number, nullptr, 0, 0, &handle),
    GOOD(ARMCI_Put_flag, memory.local, memory.local, 8, &number, 1, 0),
    GOOD(ARMCI_PutS_flag, memory.local, nullptr, memory.local, nullptr, &bytes, 0, &number, 1, 0),
    GOOD(ARMCI_PutS_flag_dir, memory.local, nullptr, memory.local, nullptr, &bytes, 0, &number, 1, 0),
    GOOD(ARMCI_PutValueInt, 1, memory.local, 0),
    GOOD(ARMCI_PutValueLong, 1, memory.local, 0),
    GOOD(ARMCI_PutValueFloat, 1, memory.local, 0),
    GOOD(ARMCI_PutValueDouble, 1, memory.local, 0),
    GOOD(ARMCI_NbPutValueInt, 1, memory.local, 0, &handle),
    GOOD(ARMCI_NbPutValueLong, 1, memory.local, 0, &handle),
    GOOD(ARMCI_NbPutValueFloat, 1, memory.local, 0, &handle),
    GOOD(ARMCI_NbPutValueDouble, 1, memory.local, 0, &handle),
    GOOD(ARMCI_GetValueInt, memory.local, 0),
    GOOD(ARMCI_GetValueLong, memory.local, 0),
    GOOD(ARMCI_GetValueFloat, memory.local, 0),
    GOOD(ARMCI_GetValueDouble, memory.local, 0),
    GOOD(ARMCI_Access_begin, memory.local),
    GOOD(ARMCI_Access_end, memory.local),
    GOOD(ARMCI_Wait, &handle),
    GOOD(ARMCI_Test, &handle),
    GOOD(ARMCI_WaitProc, 0),
    GOOD(ARMCI_WaitAll),
    GOOD(ARMCI_Fence, 0),
    GOOD(ARMCI_AllFence),
    GOOD(ARMCI_GroupFence, &world),
    GOOD(ARMCI_Barrier),
    GOOD(armci_notify, 0),
    GOOD(armci_notify_wait, 0, &number),
    GOOD(ARMCI_Rmw, ARMCI_FETCH_AND_ADD, &number, memory.local, 1, 0),
    GOOD(ARMCI_Create_mutexes, 1),
    GOOD(ARMCI_Destroy_mutexes),
    GOOD(ARMCI_Lock, 0, 0),
    GOOD(ARMCI_Unlock, 0, 0),
    GOOD(ARMCI_Group_create, 1, ranks, &group),
    GOOD(ARMCI_Group_create_child, 1, ranks, &group, &world),
    GOOD(ARMCI_Group_free, &group),
    GOOD(ARMCI_Group_rank, &world, &number),
    GOOD(ARMCI_Group_size, &world, &number),
    GOOD(ARMCI_Group_set_default, &world),
    GOOD(ARMCI_Group_get_default, &group),
    GOOD(ARMCI_Group_get_world, &group),
    GOOD(ARMCI_Absolute_id, &world, 0),
    GOOD(ARMCI_Same_node, 0),
    GOOD(armci_sameclusnode, 0),
    GOOD(armci_domain_nprocs, 0, 0),
    GOOD(armci_domain_id, 0, 0),
    GOOD(armci_domain_glob_proc_id, 0, 0, 0),
    GOOD(armci_domain_my_id, 0),
    GOOD(armci_domain_count, 0),
    GOOD(armci_domain_same_id, 0, 0),
    GOOD(armci_msg_me),
    GOOD(armci_msg_nproc),
    GOOD(armci_msg_snd, 1, &number, 4, 0),
    GOOD(armci_msg_rcv, 1, &number, 4, &number, 0),
    GOOD(armci_msg_rcvany, 1, &number, 4, &number),
    GOOD(armci_msg_barrier),
    GOOD(armci_msg_bcast, &number, 4, 0),
    GOOD(armci_msg_brdcst, &number, 4, 0),
    GOOD(armci_msg_bcast_scope, SCOPE_ALL, &number, 4, 0),
    GOOD(armci_msg_bintree, SCOPE_ALL, &number, &number, &number, &number),
    GOOD(armci_msg_gop_scope, SCOPE_ALL, &number, 1, plus, ARMCI_INT),
    GOOD(armci_msg_reduce_scope, SCOPE_ALL, &number, 1, plus, ARMCI_INT),
    GOOD(armci_msg_reduce, &number, 1, plus, ARMCI_INT),
    GOOD(armci_msg_sel_scope, SCOPE_ALL, &number, 4, least, ARMCI_INT, 1),
    GOOD(armci_msg_igop, &number, 1, plus),
    GOOD(armci_msg_lgop, &wide, 1, plus),
    GOOD(armci_msg_dgop, real, 1, plus),
    GOOD(armci_exchange_address, addresses, 1),
    GOOD(armci_msg_clus_brdcst, &number, 4),
    GOOD(armci_msg_clus_igop, &number, 1, plus),
    GOOD(armci_msg_group_barrier, &world),
    GOOD(armci_msg_group_bcast_scope, SCOPE_ALL, &number, 4, 0, &world),
    GOOD(armci_grp_clus_brdcst, &number, 4, 0, 1, &world),
    GOOD(armci_msg_group_gop_scope, SCOPE_ALL, &number, 1, plus, ARMCI_INT, &world),
    GOOD(armci_msg_group_igop, &number, 1, plus, &world),
    GOOD(armci_exchange_address_grp, addresses, 1, &world),
};

}  // namespace

// Before ARMCI_Init(), and after ARMCI_Finalize().
std::vector<Refusal> refusals_of_order() {
    std::vector<Refusal> all;
    for (const Good& one : calls) {
        all.push_back({one.name, "ARMCI_Init\\(\\)", one.make, false});
        const auto make = one.make;
        all.push_back({one.name, "ARMCI_Finalize\\(\\)", [=] {
                           ARMCI_Finalize();
                           make();
                       }});
    }
    all.push_back({"ARMCI_Init", "ARMCI_Finalize\\(\\)", [] {
                       ARMCI_Finalize();
                       ARMCI_Init();
                   }});
    all.push_back({"ARMCI_Init_thread", "ARMCI_Finalize\\(\\)", [] {
                       ARMCI_Finalize();
                       ARMCI_Init_thread(0);
                   }});
    all.push_back({"ARMCI_Init_args", "ARMCI_Finalize\\(\\)", [] {
                       ARMCI_Finalize();
                       ARMCI_Init_args(nullptr, nullptr);
                   }});
    all.push_back({"armci_msg_init", "ARMCI_Finalize\\(\\)", [] {
                       ARMCI_Finalize();
                       armci_msg_init(nullptr, nullptr);
                   }});
    return all;
}

}  // namespace armci_test
