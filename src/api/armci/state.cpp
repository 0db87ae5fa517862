// SPDX-License-Identifier: BSD-3-Clause
#include "api/armci/state.h"

#include <cstring>

#include "api/armci/transfer.h"
#include "message.h"

namespace syncline::armci {
namespace {

constexpr int exchange_tag = -1;  // of the library's own messages; programs have other mailboxes' numbers
constexpr int barrier_number = 0;
std::unique_ptr<State> the_state;
bool has_left = false;

void start() {
    check(syncline_init(nullptr));
    the_state = std::make_unique<State>();
    State& own = *the_state;
    own.me = syncline_rank();
    own.size = syncline_size();
    const auto count = static_cast<size_t>(own.size);
    own.blocks.resize(count);
    own.mutexes.resize(count);
    own.notified.resize(count);
    own.awaited.resize(count);
    GroupMembers world;
    for (int process = 0; process < own.size; process++) {
        world.processes.push_back(process);
    }
    world.rank = own.me;
    own.groups.push_back(std::move(world));
    check(syncline_alloc(count * sizeof(uint64_t), 0, &own.notices));
    own.mailbox = std::make_unique<Mailbox>(own.size);
    check(syncline_barrier_open(barrier_number, nullptr, own.size, nullptr, &own.barrier));
}

}  // namespace

State& state() {
    if (!the_state) {
        refuse("ARMCI_Init() comes first, and {}", has_left ? "ARMCI_Finalize() was the last" : "has not been called");
    }
    return *the_state;
}

bool is_initialised() {
    return the_state != nullptr;
}

const GroupMembers& members_of(const ARMCI_Group* group) {
    State& own = state();
    const int number = group == nullptr ? own.default_group : *group;
    if (number < 0 || static_cast<size_t>(number) >= own.groups.size() ||
        own.groups[static_cast<size_t>(number)].processes.empty()) {
        refuse("group {} does not exist", number);
    }
    return own.groups[static_cast<size_t>(number)];
}

void check_process(int process) {
    if (process < 0 || process >= state().size) {
        refuse("process {} does not exist: there are 0 to {}", process, state().size - 1);
    }
}

const Block& block_of(const char* argument, const void* address, uint64_t bytes, int process) {
    check_process(process);
    const Block* const found =
        state().blocks[static_cast<size_t>(process)].find(static_cast<const uint8_t*>(address), bytes);
    if (found == nullptr) {
        refuse("{}: {} bytes at {} are no memory that process {} has from ARMCI_Malloc()", argument, bytes,
               fmt::ptr(address), process);
    }
    return *found;
}

syncline_address_t word_of(const char* argument, const void* address, uint64_t bytes, int process) {
    const auto* const at = static_cast<const uint8_t*>(address);
    const Block& block = block_of(argument, address, bytes, process);
    if (reinterpret_cast<uintptr_t>(at) % bytes != 0) {
        refuse("{}: {} is no multiple of {}, the size of the number", argument, fmt::ptr(address), bytes);
    }
    state().writes.order(process, at, at + bytes);
    return block.address + static_cast<uint64_t>(at - block.seen);
}

// To the first member, which sends everything to all: each message goes once.
void exchange(const GroupMembers& members, const void* own, void* all, size_t each) {
    Mailbox& mailbox = *state().mailbox;
    const size_t count = members.processes.size();
    auto* const bytes = static_cast<uint8_t*>(all);
    std::vector<uint8_t> message;
    if (members.rank != 0) {
        mailbox.send(members.processes[0], exchange_tag, own, each);
        (void)mailbox.receive(members.processes[0], exchange_tag, &message);
        std::memcpy(bytes, message.data(), count * each);
        return;
    }
    std::memcpy(bytes, own, each);
    for (size_t member = 1; member < count; member++) {
        (void)mailbox.receive(members.processes[member], exchange_tag, &message);
        std::memcpy(bytes + member * each, message.data(), each);
    }
    for (size_t member = 1; member < count; member++) {
        mailbox.send(members.processes[member], exchange_tag, bytes, count * each);
    }
}

void barrier_of(const GroupMembers& members) {
    complete_all();
    if (members.processes.size() == static_cast<size_t>(state().size)) {
        check(syncline_fence_barrier(state().barrier, SYNCLINE_FENCE_AUTO));
        return;
    }
    check(syncline_quiet());
    const char mine = 1;
    std::vector<char> all(members.processes.size());
    exchange(members, &mine, all.data(), 1);
}

}  // namespace syncline::armci

using namespace syncline::armci;

extern "C" {

int ARMCI_Init(void) {
    const Call call("ARMCI_Init");
    if (!is_initialised()) {
        if (has_left) {
            refuse("ARMCI_Finalize() was the last call");
        }
        start();
    }
    return 0;
}

int ARMCI_Init_args(int*, char***) {
    return ARMCI_Init();
}

int ARMCI_Initialized(void) {
    return is_initialised() ? 1 : 0;
}

void ARMCI_Finalize(void) {
    const Call call("ARMCI_Finalize");
    if (!is_initialised()) {
        return;
    }
    ARMCI_Barrier();
    (void)syncline_barrier_close(state().barrier);
    the_state.reset();
    has_left = true;
    check(syncline_finalize());
}

void ARMCI_Error(const char* message, int code) {
    fmt::print(stderr, "{}: {}\n", is_initialised() ? fmt::format("process {}", syncline_rank()) : "ARMCI",
               message == nullptr ? "an error without a message" : message);
    syncline_abort(code == 0 ? 1 : code & 255);
}

void ARMCI_Cleanup(void) {}

void ARMCI_Set_shm_limit(unsigned long) {}

int ARMCI_Group_rank(ARMCI_Group* group, int* rank) {
    const Call call("ARMCI_Group_rank");
    *rank = members_of(group).rank;
    return *rank < 0 ? 1 : 0;
}

void ARMCI_Group_size(ARMCI_Group* group, int* size) {
    const Call call("ARMCI_Group_size");
    *size = static_cast<int>(members_of(group).processes.size());
}

void ARMCI_Group_set_default(ARMCI_Group* group) {
    const Call call("ARMCI_Group_set_default");
    (void)members_of(group);
    state().default_group = *group;
}

void ARMCI_Group_get_default(ARMCI_Group* group) {
    const Call call("ARMCI_Group_get_default");
    *group = state().default_group;
}

void ARMCI_Group_get_world(ARMCI_Group* group) {
    const Call call("ARMCI_Group_get_world");
    (void)state();
    *group = 0;
}

int ARMCI_Absolute_id(ARMCI_Group* group, int rank) {
    const Call call("ARMCI_Absolute_id");
    const GroupMembers& members = members_of(group);
    if (rank < 0 || static_cast<size_t>(rank) >= members.processes.size()) {
        refuse("rank {} is none of the group, which has {} members", rank, members.processes.size());
    }
    return members.processes[static_cast<size_t>(rank)];
}

void ARMCI_Group_create_child(int count, int* processes, ARMCI_Group* group, ARMCI_Group* parent) {
    const Call call("ARMCI_Group_create");
    const GroupMembers& outer = members_of(parent);
    GroupMembers members;
    for (int i = 0; i < count; i++) {
        if (processes[i] < 0 || static_cast<size_t>(processes[i]) >= outer.processes.size()) {
            refuse("member {} is rank {}, and the parent has {}", i, processes[i], outer.processes.size());
        }
        const int process = outer.processes[static_cast<size_t>(processes[i])];
        members.rank = process == state().me ? i : members.rank;
        members.processes.push_back(process);
    }
    if (members.processes.empty()) {
        refuse("a group needs a member");
    }
    state().groups.push_back(members);
    *group = static_cast<int>(state().groups.size()) - 1;
    if (members.rank >= 0) {
        barrier_of(members);
    }
}

void ARMCI_Group_create(int count, int* processes, ARMCI_Group* group) {
    ARMCI_Group outer = is_initialised() ? state().default_group : 0;
    ARMCI_Group_create_child(count, processes, group, &outer);
}

void ARMCI_Group_free(ARMCI_Group* group) {
    const Call call("ARMCI_Group_free");
    (void)members_of(group);
    if (*group == 0) {
        refuse("the group of all processes stays");
    }
    state().groups[static_cast<size_t>(*group)] = {};
}

int ARMCI_Same_node(int process) {
    const Call call("ARMCI_Same_node");
    check_process(process);
    return syncline_node_of(process) == syncline_node_of(state().me) ? 1 : 0;
}

int armci_sameclusnode(int process) {
    return ARMCI_Same_node(process);
}

int ARMCI_Uses_shm(void) {
    return is_initialised() ? 1 : 0;
}

int ARMCI_Uses_shm_grp(ARMCI_Group*) {
    return ARMCI_Uses_shm();
}

int armci_domain_count(armci_domain_t) {
    return syncline_nodes();
}

int armci_domain_my_id(armci_domain_t) {
    const Call call("armci_domain_my_id");
    return syncline_node_of(state().me);
}

int armci_domain_id(armci_domain_t, int process) {
    const Call call("armci_domain_id");
    check_process(process);
    return syncline_node_of(process);
}

int armci_domain_same_id(armci_domain_t domain, int process) {
    return armci_domain_id(domain, process) == armci_domain_my_id(domain) ? 1 : 0;
}

int armci_domain_nprocs(armci_domain_t domain, int id) {
    const Call call("armci_domain_nprocs");
    const int node = id < 0 ? armci_domain_my_id(domain) : id;
    int count = 0;
    for (int process = 0; process < state().size; process++) {
        count += syncline_node_of(process) == node ? 1 : 0;
    }
    return count;
}

int armci_domain_glob_proc_id(armci_domain_t, int id, int index) {
    const Call call("armci_domain_glob_proc_id");
    int left = index;
    for (int process = 0; process < state().size; process++) {
        if (syncline_node_of(process) == id && left-- == 0) {
            return process;
        }
    }
    refuse("domain {} has no process {}", id, index);
}

}  // extern "C"
