// SPDX-License-Identifier: BSD-3-Clause
// Fences, the barrier, notices, read-modify-write.
#include "api/armci/state.h"
#include "api/armci/transfer.h"

using namespace syncline::armci;

namespace {

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

}  // extern "C"
