// SPDX-License-Identifier: BSD-3-Clause
// Groups of processes, and which of them share a node.
#include <algorithm>

#include "api/armci/state.h"

using namespace syncline::armci;

namespace {

void check_output(const char* argument, const void* pointer) {
    (void)state();
    if (pointer == nullptr) {
        refuse("{} is NULL", argument);
    }
}

void create(int count, const int* processes, ARMCI_Group* group, const GroupMembers& parent) {
    check_output("processes", processes);
    check_output("group", group);
    if (count < 1) {
        refuse("count is {}, and a group needs a member", count);
    }
    GroupMembers members;
    for (int i = 0; i < count; i++) {
        if (processes[i] < 0 || static_cast<size_t>(processes[i]) >= parent.processes.size()) {
            refuse("processes[{}] is {}, and the parent has 0 to {}", i, processes[i], parent.processes.size() - 1);
        }
        const int process = parent.processes[static_cast<size_t>(processes[i])];
        if (std::find(members.processes.begin(), members.processes.end(), process) != members.processes.end()) {
            refuse("processes[{}] is {} a second time", i, processes[i]);
        }
        members.rank = process == state().me ? i : members.rank;
        members.processes.push_back(process);
    }
    state().groups.push_back(members);
    *group = static_cast<int>(state().groups.size()) - 1;
    if (members.rank >= 0) {
        barrier_of(members);
    }
}

void check_domain(armci_domain_t domain) {
    (void)state();
    if (domain != ARMCI_DOMAIN_SMP) {
        refuse("domain is {}, and there is ARMCI_DOMAIN_SMP only", domain);
    }
}

// Returns the processes of a node.
std::vector<int> processes_of(armci_domain_t domain, int id) {
    check_domain(domain);
    if (id < 0 || id >= syncline_nodes()) {
        refuse("id is {}, and there are domains 0 to {}", id, syncline_nodes() - 1);
    }
    std::vector<int> found;
    for (int process = 0; process < state().size; process++) {
        if (syncline_node_of(process) == id) {
            found.push_back(process);
        }
    }
    return found;
}

}  // namespace

extern "C" {

int ARMCI_Group_rank(ARMCI_Group* group, int* rank) {
    const Call call("ARMCI_Group_rank");
    check_output("rank", rank);
    *rank = members_of(group).rank;
    return *rank < 0 ? 1 : 0;
}

void ARMCI_Group_size(ARMCI_Group* group, int* size) {
    const Call call("ARMCI_Group_size");
    check_output("size", size);
    *size = static_cast<int>(members_of(group).processes.size());
}

void ARMCI_Group_set_default(ARMCI_Group* group) {
    const Call call("ARMCI_Group_set_default");
    check_output("group", group);
    (void)members_of(group);
    state().default_group = *group;
}

void ARMCI_Group_get_default(ARMCI_Group* group) {
    const Call call("ARMCI_Group_get_default");
    check_output("group", group);
    *group = state().default_group;
}

void ARMCI_Group_get_world(ARMCI_Group* group) {
    const Call call("ARMCI_Group_get_world");
    check_output("group", group);
    *group = 0;
}

int ARMCI_Absolute_id(ARMCI_Group* group, int rank) {
    const Call call("ARMCI_Absolute_id");
    const GroupMembers& members = members_of(group);
    if (rank < 0 || static_cast<size_t>(rank) >= members.processes.size()) {
        refuse("rank is {}, and the group has {} members", rank, members.processes.size());
    }
    return members.processes[static_cast<size_t>(rank)];
}

int ARMCI_Launcher_id(int process) {
    const Call call("ARMCI_Launcher_id");
    check_process(process);
    const std::vector<int>& numbers = state().launcher_numbers;
    return numbers.empty() ? process : numbers[static_cast<size_t>(process)];
}

void ARMCI_Group_create_child(int count, int* processes, ARMCI_Group* group, ARMCI_Group* parent) {
    const Call call("ARMCI_Group_create_child");
    create(count, processes, group, members_of(parent, "parent"));
}

void ARMCI_Group_create(int count, int* processes, ARMCI_Group* group) {
    const Call call("ARMCI_Group_create");
    create(count, processes, group, members_of(nullptr));
}

void ARMCI_Group_free(ARMCI_Group* group) {
    const Call call("ARMCI_Group_free");
    check_output("group", group);
    (void)members_of(group);
    if (*group == 0) {
        refuse("group: the group of all processes cannot be freed");
    }
    state().groups[static_cast<size_t>(*group)] = {};
    if (state().default_group == *group) {
        state().default_group = 0;
    }
}

int ARMCI_Same_node(int process) {
    const Call call("ARMCI_Same_node");
    check_process(process);
    return syncline_pointer(process, state().notices) != nullptr ? 1 : 0;
}

int armci_sameclusnode(int process) {
    const Call call("armci_sameclusnode");
    return ARMCI_Same_node(process);
}

int ARMCI_Uses_shm(void) {
    return the_state ? 1 : 0;
}

int ARMCI_Uses_shm_grp(ARMCI_Group*) {
    return ARMCI_Uses_shm();
}

int armci_domain_count(armci_domain_t domain) {
    const Call call("armci_domain_count");
    check_domain(domain);
    return syncline_nodes();
}

int armci_domain_my_id(armci_domain_t domain) {
    const Call call("armci_domain_my_id");
    check_domain(domain);
    return syncline_node_of(state().me);
}

int armci_domain_id(armci_domain_t domain, int process) {
    const Call call("armci_domain_id");
    check_domain(domain);
    check_process(process);
    return syncline_node_of(process);
}

int armci_domain_same_id(armci_domain_t domain, int process) {
    const Call call("armci_domain_same_id");
    return armci_domain_id(domain, process) == armci_domain_my_id(domain) ? 1 : 0;
}

int armci_domain_nprocs(armci_domain_t domain, int id) {
    const Call call("armci_domain_nprocs");
    return static_cast<int>(processes_of(domain, id < 0 ? armci_domain_my_id(domain) : id).size());
}

int armci_domain_glob_proc_id(armci_domain_t domain, int id, int index) {
    const Call call("armci_domain_glob_proc_id");
    const std::vector<int> processes = processes_of(domain, id);
    if (index < 0 || static_cast<size_t>(index) >= processes.size()) {
        refuse("index is {}, and domain {} has {} processes", index, id, processes.size());
    }
    return processes[static_cast<size_t>(index)];
}

}  // extern "C"
