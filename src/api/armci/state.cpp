// SPDX-License-Identifier: BSD-3-Clause
#include "api/armci/state.h"

#include <cstring>
#include <utility>

#include "api/armci/transfer.h"

namespace syncline::armci {
namespace {

constexpr int exchange_tag = -1;  // for the library's own messages; programs' tags are not negative

// Processes that make different collective calls may meet here.
void take_part(int from, size_t bytes, std::vector<uint8_t>* message) {
    (void)state().mailbox->receive(from, exchange_tag, message);
    if (message->size() != bytes) {
        refuse("process {} makes another collective call meanwhile", from);
    }
}

}  // namespace

std::unique_ptr<State> the_state;

State& state() {
    if (!the_state) {
        refuse("{}", has_left() ? "ARMCI_Finalize() has been called" : "call ARMCI_Init() first");
    }
    return *the_state;
}

const GroupMembers& members_of(const ARMCI_Group* group, const char* argument) {
    State& own = state();
    const int number = group == nullptr ? own.default_group : *group;
    if (number < 0 || static_cast<size_t>(number) >= own.groups.size() ||
        own.groups[static_cast<size_t>(number)].processes.empty()) {
        refuse("{} is {}, which does not exist", argument, number);
    }
    return own.groups[static_cast<size_t>(number)];
}

const GroupMembers& own_members_of(const ARMCI_Group* group) {
    const GroupMembers& members = members_of(group);
    if (members.rank < 0) {
        refuse("group: process {} is no member", state().me);
    }
    return members;
}

void check_process(int process, const char* argument) {
    if (process < 0 || process >= state().size) {
        refuse("{} is {}, and there are processes 0 to {}", argument, process, state().size - 1);
    }
}

uint8_t* learn_block(int process, void* base, uint64_t bytes, syncline_address_t address,
                     std::shared_ptr<const Allocation> allocation) {
    void* const here = process == state().me ? base : syncline_pointer(process, address);
    auto* const seen = static_cast<uint8_t*>(here != nullptr ? here : base);
    state().blocks[static_cast<size_t>(process)].learn({seen, bytes, address, here != nullptr, std::move(allocation)});
    return seen;
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
    state().writes.order(process);
    state().writes.order({process, at, at + bytes});
    return block.address_of(at);
}

// Members send to the first one, which sends everything to all: each message goes once.
void exchange(const GroupMembers& members, const void* own, void* all, size_t each) {
    Mailbox& mailbox = *state().mailbox;
    const size_t count = members.processes.size();
    auto* const bytes = static_cast<uint8_t*>(all);
    std::vector<uint8_t> message;
    if (members.rank != 0) {
        mailbox.send(members.processes[0], exchange_tag, own, each);
        take_part(members.processes[0], count * each, &message);
        std::memcpy(bytes, message.data(), count * each);
        return;
    }
    std::memcpy(bytes, own, each);
    for (size_t member = 1; member < count; member++) {
        take_part(members.processes[member], each, &message);
        std::memcpy(bytes + member * each, message.data(), each);
    }
    for (size_t member = 1; member < count; member++) {
        mailbox.send(members.processes[member], exchange_tag, bytes, count * each);
    }
}

void barrier_of(const GroupMembers& members) {
    complete_all();
    if (members.processes.size() == static_cast<size_t>(state().size)) {
        const Call::Aside aside;
        check(syncline_fence_barrier(the_state->barrier, SYNCLINE_FENCE_AUTO));
        return;
    }
    check(syncline_quiet());
    const char mine = 1;
    std::vector<char> all(members.processes.size());
    exchange(members, &mine, all.data(), 1);
}

}  // namespace syncline::armci
