// SPDX-License-Identifier: BSD-3-Clause
// Memory that other processes can reach: each process takes a block of its arena, and all learn the places of all
// blocks.
#include <algorithm>
#include <cstdlib>

#include "api/armci/state.h"
#include "api/armci/transfer.h"

namespace syncline::armci {
namespace {

enum class Got : uint64_t { kNothing, kBlock, kNoRoom };

// The description of its block that each member sends to the others.
struct Offer {
    uint8_t* base;  // the address by which its owner names it
    uint64_t bytes;
    syncline_address_t address;
    Got got;
};

Offer take_block(armci_size_t bytes) {
    Offer offer = {nullptr, static_cast<uint64_t>(bytes), SYNCLINE_ADDRESS_NONE, Got::kNothing};
    if (bytes == 0) {
        return offer;
    }
    offer.base = state().arena.allocate(offer.bytes);
    offer.got = offer.base != nullptr ? Got::kBlock : Got::kNoRoom;
    if (offer.base != nullptr) {
        offer.address = state().arena.address_of(offer.base);
    }
    return offer;
}

std::shared_ptr<const Allocation> allocation_of(const GroupMembers& members, const std::vector<Offer>& offers) {
    auto allocation = std::make_shared<Allocation>();
    allocation->members = members.processes;
    for (size_t i = 0; i < offers.size(); i++) {
        if (offers[i].got == Got::kBlock) {
            allocation->holders.push_back(members.processes[i]);
            allocation->addresses.push_back(offers[i].address);
        }
    }
    return allocation;
}

int allocate(const GroupMembers& members, void** addresses, armci_size_t bytes) {
    if (bytes < 0) {
        refuse("bytes is {}", bytes);
    }
    if (addresses == nullptr) {
        refuse("addresses is NULL");
    }
    const Offer own = take_block(bytes);
    std::vector<Offer> offers(members.processes.size());
    exchange(members, &own, offers.data(), sizeof(own));
    std::fill_n(addresses, offers.size(), nullptr);
    if (std::any_of(offers.begin(), offers.end(), [](const Offer& one) { return one.got == Got::kNoRoom; })) {
        if (own.got == Got::kBlock) {
            state().arena.free(own.base);
        }
        return 1;
    }
    const auto allocation = allocation_of(members, offers);
    for (size_t i = 0; i < offers.size(); i++) {
        if (offers[i].got == Got::kBlock) {
            addresses[i] =
                learn_block(members.processes[i], offers[i].base, offers[i].bytes, offers[i].address, allocation);
        }
    }
    return 0;
}

void check_unused(const Allocation& allocation) {
    for (size_t i = 0; i < allocation.holders.size(); i++) {
        const int process = allocation.holders[i];
        if (is_getting_from(process, allocation.addresses[i])) {
            refuse("address: a get of this allocation from process {} is not waited for yet", process);
        }
    }
}

// The processes that have a block come together, so none of their operations is under way when the memory goes. A
// process without a block may call or not; Global Arrays does not.
void free_together(const Allocation& allocation, syncline_address_t own) {
    GroupMembers holders;
    holders.processes = allocation.holders;
    holders.rank = static_cast<int>(std::find(holders.processes.begin(), holders.processes.end(), state().me) -
                                    holders.processes.begin());
    complete_all();
    check(syncline_quiet());
    std::vector<syncline_address_t> freed(holders.processes.size());
    exchange(holders, &own, freed.data(), sizeof(own));
    for (size_t i = 0; i < freed.size(); i++) {
        const int process = holders.processes[i];
        if (freed[i] != allocation.addresses[i]) {
            refuse("address: process {} frees memory of another allocation meanwhile", process);
        }
        state().blocks[static_cast<size_t>(process)].forget(freed[i]);
    }
}

int release(void* address, const GroupMembers* members) {
    const State& own = state();
    if (address == nullptr) {
        complete_all();
        return 0;
    }
    const Block* const found = own.blocks[static_cast<size_t>(own.me)].find(static_cast<uint8_t*>(address), 1);
    if (found == nullptr || found->seen != address) {
        refuse("address: {} is no block that this process has from ARMCI_Malloc()", address);
    }
    const Block block = *found;
    if (!block.allocation) {
        refuse("address: {} is that of a segment, which ARMCI_Memctl() frees", address);
    }
    if (members != nullptr && members->processes != block.allocation->members) {
        refuse("group: another group has allocated the block at {}", address);
    }
    check_unused(*block.allocation);
    free_together(*block.allocation, block.address);
    state().arena.free(address);
    return 0;
}

}  // namespace
}  // namespace syncline::armci

using namespace syncline::armci;

extern "C" {

int ARMCI_Malloc(void* addresses[], armci_size_t bytes) {
    const Call call("ARMCI_Malloc");
    return allocate(state().groups[0], addresses, bytes);
}

int ARMCI_Free(void* address) {
    const Call call("ARMCI_Free");
    return release(address, nullptr);
}

int ARMCI_Malloc_group(void* addresses[], armci_size_t bytes, ARMCI_Group* group) {
    const Call call("ARMCI_Malloc_group");
    return allocate(own_members_of(group), addresses, bytes);
}

int ARMCI_Free_group(void* address, ARMCI_Group* group) {
    const Call call("ARMCI_Free_group");
    return release(address, &members_of(group));
}

int ARMCI_Malloc_memdev(void* addresses[], armci_size_t bytes, const char*) {
    const Call call("ARMCI_Malloc_memdev");
    return ARMCI_Malloc(addresses, bytes);
}

int ARMCI_Free_memdev(void* address) {
    const Call call("ARMCI_Free_memdev");
    return ARMCI_Free(address);
}

int ARMCI_Malloc_group_memdev(void* addresses[], armci_size_t bytes, ARMCI_Group* group, const char*) {
    const Call call("ARMCI_Malloc_group_memdev");
    return ARMCI_Malloc_group(addresses, bytes, group);
}

void* ARMCI_Malloc_local(armci_size_t bytes) {
    const Call call("ARMCI_Malloc_local");
    (void)state();
    if (bytes < 0) {
        refuse("bytes is {}", bytes);
    }
    void* place = nullptr;
    if (::posix_memalign(&place, 64, std::max<size_t>(static_cast<size_t>(bytes), 1)) != 0) {
        return nullptr;
    }
    state().local.insert(place);
    return place;
}

int ARMCI_Free_local(void* address) {
    const Call call("ARMCI_Free_local");
    if (address != nullptr && state().local.erase(address) == 0) {
        refuse("address: {} is none that this process has from ARMCI_Malloc_local()", address);
    }
    std::free(address);
    return 0;
}

void ARMCI_Access_begin(void*) {
    const Call call("ARMCI_Access_begin");
    (void)state();
}

void ARMCI_Access_end(void*) {
    const Call call("ARMCI_Access_end");
    (void)state();
}

}  // extern "C"
