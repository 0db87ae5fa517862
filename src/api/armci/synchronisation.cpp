// SPDX-License-Identifier: BSD-3-Clause
// Fences, the barrier, notices, read-modify-write, mutexes.
#include <algorithm>
#include <vector>

#include "api/armci/state.h"
#include "api/armci/transfer.h"

using namespace syncline::armci;

namespace {

bool has_mutexes() {
    return !state().first_mutex.empty();
}

// Its place in State::mutexes.
size_t mutex_of(int mutex, int process) {
    check_process(process);
    if (!has_mutexes()) {
        refuse("there are no mutexes: ARMCI_Create_mutexes() makes them");
    }
    const State& own = state();
    const size_t first = own.first_mutex[static_cast<size_t>(process)];
    const size_t count = own.first_mutex[static_cast<size_t>(process) + 1] - first;
    if (mutex < 0 || static_cast<size_t>(mutex) >= count) {
        refuse("mutex is {}, and process {} has {} of them", mutex, process, count);
    }
    return first + static_cast<size_t>(mutex);
}

int read_modify_write(int code, void* local, const void* operand, const void* remote, size_t width, int process) {
    if (local == nullptr) {
        refuse("local is NULL");
    }
    const syncline_address_t word = word_of("remote", remote, width, process);
    const int bits = width == 4 ? SYNCLINE_32 : SYNCLINE_64;
    check(syncline_atomic(code | bits | SYNCLINE_FETCH, process, word, operand, nullptr, local));
    return 0;
}

}  // namespace

extern "C" {

void ARMCI_Fence(int process) {
    const Call call("ARMCI_Fence");
    check_process(process);
    complete(process);
    check(syncline_fence(process));
}

void ARMCI_AllFence(void) {
    const Call call("ARMCI_AllFence");
    (void)state();
    complete_all();
    check(syncline_quiet());
}

void ARMCI_GroupFence(ARMCI_Group* group) {
    const Call call("ARMCI_GroupFence");
    for (const int process : members_of(group).processes) {
        ARMCI_Fence(process);
    }
}

void ARMCI_Barrier(void) {
    const Call call("ARMCI_Barrier");
    barrier_of(state().groups[0]);
}

int armci_notify(int process) {
    const Call call("armci_notify");
    ARMCI_Fence(process);
    uint64_t& sent = state().notified[static_cast<size_t>(process)];
    sent++;
    const syncline_address_t word = state().notices + static_cast<uint64_t>(state().me) * sizeof(uint64_t);
    check(syncline_atomic(SYNCLINE_SWAP | SYNCLINE_64, process, word, &sent, nullptr, nullptr));
    return static_cast<int>(sent);
}

int armci_notify_wait(int process, int* value) {
    const Call call("armci_notify_wait");
    check_process(process);
    const uint64_t awaited = ++state().awaited[static_cast<size_t>(process)];
    const auto* const words = static_cast<const uint64_t*>(syncline_local(state().notices));
    {
        const Call::Aside aside;
        check(syncline_wait_until64(words + process, SYNCLINE_GE, awaited, -1));
    }
    if (value != nullptr) {
        *value = static_cast<int>(awaited);
    }
    return static_cast<int>(awaited);
}

int ARMCI_Rmw(int operation, void* local, void* remote, int extra, int process) {
    const Call call("ARMCI_Rmw");
    const long wide = extra;
    switch (operation) {
        case ARMCI_FETCH_AND_ADD:
            return read_modify_write(SYNCLINE_ADD, local, &extra, remote, sizeof(int), process);
        case ARMCI_FETCH_AND_ADD_LONG:
            return read_modify_write(SYNCLINE_ADD, local, &wide, remote, sizeof(long), process);
        case ARMCI_SWAP: {
            const int stored = local == nullptr ? 0 : *static_cast<int*>(local);
            return read_modify_write(SYNCLINE_SWAP, local, &stored, remote, sizeof(int), process);
        }
        case ARMCI_SWAP_LONG: {
            const long stored = local == nullptr ? 0 : *static_cast<long*>(local);
            return read_modify_write(SYNCLINE_SWAP, local, &stored, remote, sizeof(long), process);
        }
        default:
            refuse("operation {} does not exist", operation);
    }
}

int ARMCI_Create_mutexes(int count) {
    const Call call("ARMCI_Create_mutexes");
    State& own = state();
    if (count < 0 || has_mutexes()) {
        refuse("count is {}{}", count, count < 0 ? "" : ", and there are mutexes already");
    }
    std::vector<int> counts(static_cast<size_t>(own.size));
    exchange(own.groups[0], &count, counts.data(), sizeof(count));
    std::vector<int> homes;
    for (int process = 0; process < own.size; process++) {
        own.first_mutex.push_back(homes.size());
        homes.insert(homes.end(), static_cast<size_t>(counts[static_cast<size_t>(process)]), process);
    }
    own.first_mutex.push_back(homes.size());
    own.mutexes.resize(homes.size());
    own.held.assign(homes.size(), false);
    check(syncline_locks_create(SYNCLINE_LOCK_MCS, homes.data(), static_cast<int>(homes.size()), own.mutexes.data()));
    return 0;
}

int ARMCI_Destroy_mutexes(void) {
    const Call call("ARMCI_Destroy_mutexes");
    if (!has_mutexes()) {
        refuse("there are no mutexes");
    }
    State& own = state();
    if (std::find(own.held.begin(), own.held.end(), true) != own.held.end()) {
        refuse("one of the mutexes is still locked by this process");
    }
    complete_all();
    check(syncline_locks_destroy(own.mutexes.data(), static_cast<int>(own.mutexes.size())));
    own.mutexes.clear();
    own.first_mutex.clear();
    return 0;
}

void ARMCI_Lock(int mutex, int process) {
    const Call call("ARMCI_Lock");
    const size_t place = mutex_of(mutex, process);
    if (state().held[place]) {
        refuse("mutex is {} of process {}, which this process has already", mutex, process);
    }
    {
        const Call::Aside aside;
        check(syncline_lock_acquire(state().mutexes[place]));
    }
    state().held[place] = true;
}

void ARMCI_Unlock(int mutex, int process) {
    const Call call("ARMCI_Unlock");
    const size_t place = mutex_of(mutex, process);
    if (!state().held[place]) {
        refuse("mutex is {} of process {}, which this process has not locked", mutex, process);
    }
    complete_all();
    state().held[place] = false;
    check(syncline_lock_release(state().mutexes[place]));
}

}  // extern "C"
