// SPDX-License-Identifier: BSD-3-Clause
// Collective calls: along a binomial tree of the members, up to the first member and down again.
#include <algorithm>
#include <cstring>
#include <ranges>
#include <vector>

#include "api/armci/combine.h"
#include "api/armci/state.h"
#include "message.h"

using namespace syncline::armci;

namespace {

constexpr int up_tag = -2, down_tag = -3;

// The members of a group that are in a scope, in their order, and this process's place among them, or -1.
struct Participants {
    std::vector<int> processes;
    int place = -1;
};

Participants participants_of(int scope, const GroupMembers& members) {
    const int me = state().me;
    std::vector<int> nodes;
    Participants participants;
    for (const int process : members.processes) {
        const int node = syncline_node_of(process);
        const bool first = std::find(nodes.begin(), nodes.end(), node) == nodes.end();
        if (first) {
            nodes.push_back(node);
        }
        if (scope == SCOPE_ALL || (scope == SCOPE_MASTERS && first) ||
            (scope == SCOPE_NODE && node == syncline_node_of(me))) {
            participants.place = process == me ? static_cast<int>(participants.processes.size()) : participants.place;
            participants.processes.push_back(process);
        } else if (scope != SCOPE_MASTERS && scope != SCOPE_NODE) {
            refuse("scope is {}, which is none of SCOPE_*", scope);
        }
    }
    return participants;
}

// Calls `take` for each child and then `give` for the parent, in a tree whose root is place 0.
template <typename Take, typename Give>
void climb(int place, int count, Take take, Give give) {
    for (int step = 1; step < count; step *= 2) {
        if ((place & step) != 0) {
            give(place - step);
            return;
        }
        if (place + step < count) {
            take(place + step);
        }
    }
}

// All members give the same arguments, so a message of another length is a mistake of the program.
void receive_all(int from, int tag, size_t bytes, std::vector<uint8_t>* message) {
    (void)state().mailbox->receive(from, tag, message);
    if (message->size() != bytes) {
        refuse("process {} has sent {} bytes, and this one expects {}: all give the same arguments", from,
               message->size(), bytes);
    }
}

void broadcast(const Participants& participants, void* buffer, size_t bytes, int root) {
    const int count = static_cast<int>(participants.processes.size());
    if (participants.place < 0 || count == 1) {
        return;
    }
    const int place = (participants.place - root + count) % count;
    const auto at = [&](int other) { return participants.processes[static_cast<size_t>((other + root) % count)]; };
    std::vector<int> children;
    climb(
        place, count, [&](int child) { children.push_back(child); },
        [&](int parent) {
            std::vector<uint8_t> message;
            receive_all(at(parent), down_tag, bytes, &message);
            if (bytes > 0) {
                std::memcpy(buffer, message.data(), bytes);
            }
        });
    for (const int child : std::views::reverse(children)) {
        state().mailbox->send(at(child), down_tag, buffer, bytes);
    }
}

void reduce(const Participants& participants, void* values, int count, const Numbers& numbers) {
    if (participants.place < 0) {
        return;
    }
    const auto at = [&](int place) { return participants.processes[static_cast<size_t>(place)]; };
    climb(
        participants.place, static_cast<int>(participants.processes.size()),
        [&](int child) {
            std::vector<uint8_t> message;
            receive_all(at(child), up_tag, static_cast<size_t>(count) * numbers.width, &message);
            numbers.combine(values, message.data(), count);
        },
        [&](int parent) {
            state().mailbox->send(at(parent), up_tag, values, static_cast<size_t>(count) * numbers.width);
        });
}

void check_buffer(const char* name, const void* buffer, const char* length_name, int length) {
    (void)state();
    if (length < 0) {
        refuse("{} is {}", length_name, length);
    }
    if (buffer == nullptr && length > 0) {
        refuse("{} is NULL", name);
    }
}

void check_bytes(const void* buffer, int bytes) {
    check_buffer("buffer", buffer, "bytes", bytes);
}

void check_numbers(const void* numbers, int count) {
    check_buffer("numbers", numbers, "count", count);
}

constexpr ARMCI_Group world_group = 0;
constexpr const ARMCI_Group* world = &world_group;

// Returns the members of a group that this process belongs to; NULL is not allowed here.
const GroupMembers& members_in(const ARMCI_Group* group) {
    (void)state();
    if (group == nullptr) {
        refuse("group is NULL");
    }
    return own_members_of(group);
}

void combine_all(const char* name, int scope, void* values, int count, const char* operation, int type,
                 const ARMCI_Group* group) {
    const Call call(name);
    check_numbers(values, count);
    const Numbers numbers = numbers_of(type, operation);
    const Participants participants = participants_of(scope, members_in(group));
    reduce(participants, values, count, numbers);
    broadcast(participants, values, static_cast<size_t>(count) * numbers.width, 0);
}

void exchange_addresses(const char* name, void** addresses, int count, const ARMCI_Group* group) {
    const Call call(name);
    check_buffer("addresses", addresses, "count", count);
    combine_all(name, SCOPE_ALL, addresses, count, "+", ARMCI_LONG, group);
}

void broadcast_in(const char* name, int scope, void* buffer, int bytes, int root, const ARMCI_Group* group) {
    const Call call(name);
    check_bytes(buffer, bytes);
    const Participants participants = participants_of(scope, members_in(group));
    const auto found = std::find(participants.processes.begin(), participants.processes.end(), root);
    if (participants.place >= 0 && found == participants.processes.end()) {
        refuse("root is {}, which is none of the processes that the call is for", root);
    }
    broadcast(participants, buffer, static_cast<size_t>(bytes),
              static_cast<int>(found - participants.processes.begin()));
}

void broadcast_on_node(const char* name, void* buffer, int bytes, const ARMCI_Group* group) {
    const Call call(name);
    check_bytes(buffer, bytes);
    broadcast(participants_of(SCOPE_NODE, members_in(group)), buffer, static_cast<size_t>(bytes), 0);
}

}  // namespace

extern "C" {

void armci_msg_barrier(void) {
    const Call call("armci_msg_barrier");
    barrier_of(members_in(world));
}

void armci_msg_bcast(void* buffer, int bytes, int root) {
    broadcast_in("armci_msg_bcast", SCOPE_ALL, buffer, bytes, root, world);
}

void armci_msg_brdcst(void* buffer, int bytes, int root) {
    broadcast_in("armci_msg_brdcst", SCOPE_ALL, buffer, bytes, root, world);
}

void armci_msg_bcast_scope(int scope, void* buffer, int bytes, int root) {
    broadcast_in("armci_msg_bcast_scope", scope, buffer, bytes, root, world);
}

void armci_msg_bintree(int scope, int* root, int* up, int* left, int* right) {
    const Call call("armci_msg_bintree");
    for (const auto& [name, output] : {std::pair("root", root), {"up", up}, {"left", left}, {"right", right}}) {
        if (output == nullptr) {
            refuse("{} is NULL", name);
        }
    }
    const Participants participants = participants_of(scope, members_in(world));
    const auto at = [&](int place) {
        return place >= 0 && place < static_cast<int>(participants.processes.size())
                   ? participants.processes[static_cast<size_t>(place)]
                   : -1;
    };
    *root = at(0);
    *up = participants.place > 0 ? at((participants.place - 1) / 2) : -1;
    *left = participants.place < 0 ? -1 : at(2 * participants.place + 1);
    *right = participants.place < 0 ? -1 : at(2 * participants.place + 2);
}

void armci_msg_gop_scope(int scope, void* values, int count, char* operation, int type) {
    combine_all("armci_msg_gop_scope", scope, values, count, operation, type, world);
}

void armci_msg_reduce_scope(int scope, void* values, int count, char* operation, int type) {
    const Call call("armci_msg_reduce_scope");
    check_numbers(values, count);
    reduce(participants_of(scope, members_in(world)), values, count, numbers_of(type, operation));
}

void armci_msg_reduce(void* values, int count, char* operation, int type) {
    const Call call("armci_msg_reduce");
    armci_msg_reduce_scope(SCOPE_ALL, values, count, operation, type);
}

// Selects among `bytes` of data of each member, by their first numbers.
void armci_msg_sel_scope(int scope, void* data, int bytes, char* operation, int type, int contributes) {
    const Call call("armci_msg_sel_scope");
    check_buffer("data", data, "bytes", bytes);
    if (operation == nullptr || !(begins_with(operation, "min") || begins_with(operation, "max"))) {
        refuse("operation is {}, which is none of min, max", operation == nullptr ? "NULL" : shown(operation));
    }
    const Numbers numbers = numbers_of(type, operation);
    const auto length = static_cast<size_t>(bytes);
    if (length < numbers.width) {
        refuse("bytes is {}, less than the {} of the number by which the data are selected", bytes, numbers.width);
    }
    const Participants participants = participants_of(scope, members_in(world));
    constexpr size_t head = 8;  // whether the member contributes; the numbers behind it are aligned
    std::vector<uint8_t> chosen(head + length);
    chosen[0] = contributes ? 1 : 0;
    std::memcpy(chosen.data() + head, data, length);
    const auto at = [&](int place) { return participants.processes[static_cast<size_t>(place)]; };
    if (participants.place < 0) {
        return;
    }
    climb(
        participants.place, static_cast<int>(participants.processes.size()),
        [&](int child) {
            std::vector<uint8_t> message;
            receive_all(at(child), up_tag, chosen.size(), &message);
            if (message[0] == 0) {
                return;
            }
            alignas(8) uint8_t mine[8], both[8];
            std::memcpy(mine, chosen.data() + head, numbers.width);
            std::memcpy(both, mine, numbers.width);
            numbers.combine(both, message.data() + head, 1);
            if (chosen[0] == 0 || std::memcmp(both, mine, numbers.width) != 0) {
                chosen = message;
            }
        },
        [&](int parent) { state().mailbox->send(at(parent), up_tag, chosen.data(), chosen.size()); });
    broadcast(participants, chosen.data(), chosen.size(), 0);
    std::memcpy(data, chosen.data() + head, length);
}

#define GOP(name, type, code)                                                                    \
    void armci_msg_##name(type* values, int count, char* operation) {                            \
        combine_all("armci_msg_" #name, SCOPE_ALL, values, count, operation, code, world);       \
    }                                                                                            \
    void armci_msg_clus_##name(type* values, int count, char* operation) {                       \
        combine_all("armci_msg_clus_" #name, SCOPE_NODE, values, count, operation, code, world); \
    }                                                                                            \
    void armci_msg_group_##name(type* values, int count, char* operation, ARMCI_Group* group) {  \
        combine_all("armci_msg_group_" #name, SCOPE_ALL, values, count, operation, code, group); \
    }
GOP(igop, int, ARMCI_INT)
GOP(lgop, long, ARMCI_LONG)
GOP(llgop, long long, ARMCI_LONG_LONG)
GOP(fgop, float, ARMCI_FLOAT)
GOP(dgop, double, ARMCI_DOUBLE)

void armci_exchange_address(void* addresses[], int count) {
    exchange_addresses("armci_exchange_address", addresses, count, world);
}

void armci_exchange_address_grp(void* addresses[], int count, ARMCI_Group* group) {
    exchange_addresses("armci_exchange_address_grp", addresses, count, group);
}

void armci_msg_clus_brdcst(void* buffer, int bytes) {
    broadcast_on_node("armci_msg_clus_brdcst", buffer, bytes, world);
}

void armci_grp_clus_brdcst(void* buffer, int bytes, int, int, ARMCI_Group* group) {
    broadcast_on_node("armci_grp_clus_brdcst", buffer, bytes, group);
}

void armci_msg_group_barrier(ARMCI_Group* group) {
    const Call call("armci_msg_group_barrier");
    barrier_of(members_in(group));
}

void armci_msg_group_bcast_scope(int scope, void* buffer, int bytes, int root, ARMCI_Group* group) {
    broadcast_in("armci_msg_group_bcast_scope", scope, buffer, bytes, root, group);
}

void armci_msg_group_gop_scope(int scope, void* values, int count, char* operation, int type, ARMCI_Group* group) {
    combine_all("armci_msg_group_gop_scope", scope, values, count, operation, type, group);
}

}  // extern "C"
