// SPDX-License-Identifier: BSD-3-Clause
// Messages, and collective calls over them: along a binomial tree of the members, up to the first one and down again.
#include "message.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <string_view>

#include "api/armci/state.h"

using namespace syncline::armci;

namespace {

constexpr int up_tag = -2, down_tag = -3;

using Combine = void (*)(void* into, const void* from, int count);

template <typename T>
T magnitude(T value) {
    return value < 0 ? static_cast<T>(-value) : value;
}

template <typename T, typename Of>
void each(void* into, const void* from, int count, Of of) {
    auto* const one = static_cast<T*>(into);
    const auto* const other = static_cast<const T*>(from);
    for (int i = 0; i < count; i++) {
        one[i] = of(one[i], other[i]);
    }
}

template <typename T>
Combine combine_of(std::string_view operation) {
    if (operation == "+") {
        return [](void* a, const void* b, int n) { each<T>(a, b, n, [](T x, T y) { return static_cast<T>(x + y); }); };
    }
    if (operation == "*") {
        return [](void* a, const void* b, int n) { each<T>(a, b, n, [](T x, T y) { return static_cast<T>(x * y); }); };
    }
    if (operation == "max") {
        return [](void* a, const void* b, int n) { each<T>(a, b, n, [](T x, T y) { return std::max(x, y); }); };
    }
    if (operation == "min") {
        return [](void* a, const void* b, int n) { each<T>(a, b, n, [](T x, T y) { return std::min(x, y); }); };
    }
    if (operation == "absmax") {
        return [](void* a, const void* b, int n) {
            each<T>(a, b, n, [](T x, T y) { return std::max(magnitude(x), magnitude(y)); });
        };
    }
    if (operation == "absmin") {
        return [](void* a, const void* b, int n) {
            each<T>(a, b, n, [](T x, T y) { return std::min(magnitude(x), magnitude(y)); });
        };
    }
    if constexpr (std::is_integral_v<T>) {
        if (operation == "or" || operation == "|") {
            return
                [](void* a, const void* b, int n) { each<T>(a, b, n, [](T x, T y) { return static_cast<T>(x | y); }); };
        }
        if (operation == "&&" || operation == "land") {
            return [](void* a, const void* b, int n) {
                each<T>(a, b, n, [](T x, T y) { return static_cast<T>(x != 0 && y != 0); });
            };
        }
        if (operation == "||" || operation == "lor") {
            return [](void* a, const void* b, int n) {
                each<T>(a, b, n, [](T x, T y) { return static_cast<T>(x != 0 || y != 0); });
            };
        }
    }
    refuse("operation '{}' is none of +, *, max, min, absmax, absmin{}", operation,
           std::is_integral_v<T> ? ", or, &&, ||" : "");
}

struct Numbers {
    size_t width;
    Combine combine;
};

Numbers numbers_of(int type, const char* operation) {
    if (operation == nullptr) {
        refuse("the operation is NULL");
    }
    switch (type) {
        case ARMCI_INT:
            return {sizeof(int), combine_of<int>(operation)};
        case ARMCI_LONG:
            return {sizeof(long), combine_of<long>(operation)};
        case ARMCI_LONG_LONG:
            return {sizeof(long long), combine_of<long long>(operation)};
        case ARMCI_FLOAT:
            return {sizeof(float), combine_of<float>(operation)};
        case ARMCI_DOUBLE:
            return {sizeof(double), combine_of<double>(operation)};
        default:
            refuse("there are no numbers of type {}", type);
    }
}

// Members of a group that are in a scope, in their order; the own place among them, or -1.
struct Ring {
    std::vector<int> processes;
    int place = -1;
};

Ring ring_of(int scope, const GroupMembers& members) {
    const int me = state().me;
    std::vector<int> nodes;
    Ring ring;
    for (const int process : members.processes) {
        const int node = syncline_node_of(process);
        const bool first = std::find(nodes.begin(), nodes.end(), node) == nodes.end();
        if (first) {
            nodes.push_back(node);
        }
        if (scope == SCOPE_ALL || (scope == SCOPE_MASTERS && first) ||
            (scope == SCOPE_NODE && node == syncline_node_of(me))) {
            ring.place = process == me ? static_cast<int>(ring.processes.size()) : ring.place;
            ring.processes.push_back(process);
        } else if (scope != SCOPE_MASTERS && scope != SCOPE_NODE) {
            refuse("scope {} does not exist", scope);
        }
    }
    return ring;
}

// Calls `take` for each child and then `give` for the parent, in a tree in which place 0 is the root.
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

void broadcast(const Ring& ring, void* buffer, size_t bytes, int root) {
    const int count = static_cast<int>(ring.processes.size());
    if (ring.place < 0 || count == 1) {
        return;
    }
    const int place = (ring.place - root + count) % count;
    const auto at = [&](int other) { return ring.processes[static_cast<size_t>((other + root) % count)]; };
    std::vector<int> children;
    climb(
        place, count, [&](int child) { children.push_back(child); },
        [&](int parent) {
            std::vector<uint8_t> message;
            (void)state().mailbox->receive(at(parent), down_tag, &message);
            std::memcpy(buffer, message.data(), std::min(bytes, message.size()));
        });
    for (auto child = children.rbegin(); child != children.rend(); ++child) {
        state().mailbox->send(at(*child), down_tag, buffer, bytes);
    }
}

void reduce(const Ring& ring, void* values, int count, const Numbers& numbers) {
    if (ring.place < 0) {
        return;
    }
    const auto at = [&](int place) { return ring.processes[static_cast<size_t>(place)]; };
    climb(
        ring.place, static_cast<int>(ring.processes.size()),
        [&](int child) {
            std::vector<uint8_t> message;
            (void)state().mailbox->receive(at(child), up_tag, &message);
            numbers.combine(values, message.data(), count);
        },
        [&](int parent) {
            state().mailbox->send(at(parent), up_tag, values, static_cast<size_t>(count) * numbers.width);
        });
}

void check_buffer(const void* buffer, int count) {
    if (count < 0 || (buffer == nullptr && count > 0)) {
        refuse("{}", count < 0 ? "a count is negative" : "the buffer is NULL");
    }
}

void combine_all(const char* name, int scope, void* values, int count, const char* operation, int type,
                 const GroupMembers& members) {
    const Call call(name);
    check_buffer(values, count);
    const Numbers numbers = numbers_of(type, operation);
    const Ring ring = ring_of(scope, members);
    reduce(ring, values, count, numbers);
    broadcast(ring, values, static_cast<size_t>(count) * numbers.width, 0);
}

void broadcast_in(const char* name, int scope, void* buffer, int bytes, int root, const GroupMembers& members) {
    const Call call(name);
    check_buffer(buffer, bytes);
    const Ring ring = ring_of(scope, members);
    const auto found = std::find(ring.processes.begin(), ring.processes.end(), root);
    if (ring.place >= 0 && found == ring.processes.end()) {
        refuse("root {} is none of those that the call is for", root);
    }
    broadcast(ring, buffer, static_cast<size_t>(bytes), static_cast<int>(found - ring.processes.begin()));
}

const GroupMembers& world() {
    return state().groups[0];
}

}  // namespace

extern "C" {

int armci_msg_me(void) {
    return state().me;
}

int armci_msg_nproc(void) {
    return state().size;
}

void armci_msg_snd(int tag, void* buffer, int bytes, int to) {
    const Call call("armci_msg_snd");
    check_process(to);
    check_buffer(buffer, bytes);
    if (tag < 0) {
        refuse("tag {} is negative", tag);
    }
    state().mailbox->send(to, tag, buffer, static_cast<size_t>(bytes));
}

static int take_message(int tag, void* buffer, int bytes, int* length, int from) {
    check_buffer(buffer, bytes);
    std::vector<uint8_t> message;
    const int sender = state().mailbox->receive(from, tag, &message);
    if (message.size() > static_cast<size_t>(bytes)) {
        refuse("process {} has sent {} bytes, and the buffer has {}", sender, message.size(), bytes);
    }
    std::memcpy(buffer, message.data(), message.size());
    if (length != nullptr) {
        *length = static_cast<int>(message.size());
    }
    return sender;
}

void armci_msg_rcv(int tag, void* buffer, int bytes, int* length, int from) {
    const Call call("armci_msg_rcv");
    check_process(from);
    (void)take_message(tag, buffer, bytes, length, from);
}

int armci_msg_rcvany(int tag, void* buffer, int bytes, int* length) {
    const Call call("armci_msg_rcvany");
    (void)state();
    return take_message(tag, buffer, bytes, length, -1);
}

void armci_msg_barrier(void) {
    const Call call("armci_msg_barrier");
    barrier_of(world());
}

void armci_msg_bcast(void* buffer, int bytes, int root) {
    broadcast_in("armci_msg_bcast", SCOPE_ALL, buffer, bytes, root, world());
}

void armci_msg_brdcst(void* buffer, int bytes, int root) {
    broadcast_in("armci_msg_brdcst", SCOPE_ALL, buffer, bytes, root, world());
}

void armci_msg_bcast_scope(int scope, void* buffer, int bytes, int root) {
    broadcast_in("armci_msg_bcast_scope", scope, buffer, bytes, root, world());
}

void armci_msg_bintree(int scope, int* root, int* up, int* left, int* right) {
    const Call call("armci_msg_bintree");
    const Ring ring = ring_of(scope, world());
    const auto at = [&](int place) {
        return place >= 0 && place < static_cast<int>(ring.processes.size())
                   ? ring.processes[static_cast<size_t>(place)]
                   : -1;
    };
    *root = at(0);
    *up = ring.place > 0 ? at((ring.place - 1) / 2) : -1;
    *left = ring.place < 0 ? -1 : at(2 * ring.place + 1);
    *right = ring.place < 0 ? -1 : at(2 * ring.place + 2);
}

void armci_msg_gop_scope(int scope, void* values, int count, char* operation, int type) {
    combine_all("armci_msg_gop_scope", scope, values, count, operation, type, world());
}

void armci_msg_reduce_scope(int scope, void* values, int count, char* operation, int type) {
    const Call call("armci_msg_reduce_scope");
    check_buffer(values, count);
    reduce(ring_of(scope, world()), values, count, numbers_of(type, operation));
}

void armci_msg_reduce(void* values, int count, char* operation, int type) {
    armci_msg_reduce_scope(SCOPE_ALL, values, count, operation, type);
}

// `count` numbers; the first one decides.
void armci_msg_sel_scope(int scope, void* values, int count, char* operation, int type, int contributes) {
    const Call call("armci_msg_sel_scope");
    check_buffer(values, count);
    const Numbers numbers = numbers_of(type, operation);
    const Ring ring = ring_of(scope, world());
    const size_t bytes = static_cast<size_t>(count) * numbers.width;
    std::vector<uint8_t> chosen(1 + bytes);
    chosen[0] = contributes ? 1 : 0;
    std::memcpy(chosen.data() + 1, values, bytes);
    const auto at = [&](int place) { return ring.processes[static_cast<size_t>(place)]; };
    if (ring.place < 0) {
        return;
    }
    climb(
        ring.place, static_cast<int>(ring.processes.size()),
        [&](int child) {
            std::vector<uint8_t> message;
            (void)state().mailbox->receive(at(child), up_tag, &message);
            if (message[0] == 0) {
                return;
            }
            uint8_t mine[16], both[16];
            std::memcpy(mine, chosen.data() + 1, numbers.width);
            std::memcpy(both, mine, numbers.width);
            numbers.combine(both, message.data() + 1, 1);
            if (chosen[0] == 0 || std::memcmp(both, mine, numbers.width) != 0) {
                chosen = message;
            }
        },
        [&](int parent) { state().mailbox->send(at(parent), up_tag, chosen.data(), chosen.size()); });
    broadcast(ring, chosen.data(), chosen.size(), 0);
    std::memcpy(values, chosen.data() + 1, bytes);
}

#define GOP(name, type, code)                                                                                \
    void armci_msg_##name(type* values, int count, char* operation) {                                        \
        combine_all("armci_msg_" #name, SCOPE_ALL, values, count, operation, code, world());                 \
    }                                                                                                        \
    void armci_msg_clus_##name(type* values, int count, char* operation) {                                   \
        combine_all("armci_msg_clus_" #name, SCOPE_NODE, values, count, operation, code, world());           \
    }                                                                                                        \
    void armci_msg_group_##name(type* values, int count, char* operation, ARMCI_Group* group) {              \
        combine_all("armci_msg_group_" #name, SCOPE_ALL, values, count, operation, code, members_of(group)); \
    }
GOP(igop, int, ARMCI_INT)
GOP(lgop, long, ARMCI_LONG)
GOP(llgop, long long, ARMCI_LONG_LONG)
GOP(fgop, float, ARMCI_FLOAT)
GOP(dgop, double, ARMCI_DOUBLE)

void armci_exchange_address(void* addresses[], int count) {
    combine_all("armci_exchange_address", SCOPE_ALL, addresses, count, "+", ARMCI_LONG, world());
}

void armci_exchange_address_grp(void* addresses[], int count, ARMCI_Group* group) {
    combine_all("armci_exchange_address_grp", SCOPE_ALL, addresses, count, "+", ARMCI_LONG, members_of(group));
}

void armci_msg_clus_brdcst(void* buffer, int bytes) {
    const Call call("armci_msg_clus_brdcst");
    check_buffer(buffer, bytes);
    broadcast(ring_of(SCOPE_NODE, world()), buffer, static_cast<size_t>(bytes), 0);
}

void armci_grp_clus_brdcst(void* buffer, int bytes, int, int, ARMCI_Group* group) {
    const Call call("armci_grp_clus_brdcst");
    check_buffer(buffer, bytes);
    broadcast(ring_of(SCOPE_NODE, members_of(group)), buffer, static_cast<size_t>(bytes), 0);
}

void armci_msg_group_barrier(ARMCI_Group* group) {
    const Call call("armci_msg_group_barrier");
    barrier_of(members_of(group));
}

void armci_msg_group_bcast_scope(int scope, void* buffer, int bytes, int root, ARMCI_Group* group) {
    const Call call("armci_msg_group_bcast_scope");
    broadcast_in("armci_msg_group_bcast_scope", scope, buffer, bytes, root, members_of(group));
}

void armci_msg_group_gop_scope(int scope, void* values, int count, char* operation, int type, ARMCI_Group* group) {
    combine_all("armci_msg_group_gop_scope", scope, values, count, operation, type, members_of(group));
}

}  // extern "C"
