// SPDX-License-Identifier: BSD-3-Clause
// Memory that others reach: each process takes a block of its arena, and all learn where the blocks of the others are.
#include <algorithm>
#include <cstdlib>

#include "api/armci/state.h"

namespace syncline::armci {
namespace {

struct Block {
    uint8_t* base;  // of the region, as its process names it
    uint64_t bytes;
    syncline_address_t address;
    uint64_t offset;  // of the block in the region
    uint64_t status;  // 0: none was asked for; 1: a block; 2: there is no room
};

Block own_block(armci_size_t bytes) {
    if (bytes == 0) {
        return {};
    }
    uint8_t* const place = state().arena.allocate(static_cast<uint64_t>(bytes));
    if (place == nullptr) {
        return {nullptr, 0, 0, 0, 2};
    }
    const Region& region = state().arena.region_of(place);
    return {region.base, region.bytes, region.address, static_cast<uint64_t>(place - region.base), 1};
}

// The block, as this process names it.
void* learn(int process, const Block& block) {
    std::vector<RemoteRegion>& known = state().remote[static_cast<size_t>(process)];
    auto found = std::find_if(known.begin(), known.end(),
                              [&](const RemoteRegion& one) { return one.region.address == block.address; });
    if (found == known.end()) {
        void* const here = process == state().me ? block.base : syncline_pointer(process, block.address);
        const RemoteRegion region = {here != nullptr ? static_cast<uint8_t*>(here) : block.base,
                                     {block.base, block.bytes, block.address},
                                     here != nullptr};
        found = known.insert(known.end(), region);
    }
    return found->seen + block.offset;
}

int allocate(const GroupMembers& members, void** addresses, armci_size_t bytes) {
    if (bytes < 0) {
        refuse("bytes is {}", bytes);
    }
    if (addresses == nullptr || members.rank < 0) {
        refuse("{}", addresses == nullptr ? "addresses is NULL" : "this process is no member of the group");
    }
    const Block own = own_block(bytes);
    std::vector<Block> all(members.processes.size());
    exchange(members, &own, all.data(), sizeof(own));
    const bool fits = std::none_of(all.begin(), all.end(), [](const Block& block) { return block.status == 2; });
    for (size_t i = 0; i < all.size(); i++) {
        addresses[i] = all[i].status == 1 ? learn(members.processes[i], all[i]) : nullptr;
    }
    if (!fits && own.status == 1) {
        state().arena.free(own.base + own.offset);
    }
    return fits ? 0 : 1;
}

int release(const GroupMembers& members, void* address) {
    barrier_of(members);
    if (address != nullptr && !state().arena.free(address)) {
        refuse("{} is no block that this process has from ARMCI_Malloc()", address);
    }
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
    return release(state().groups[0], address);
}

int ARMCI_Malloc_group(void* addresses[], armci_size_t bytes, ARMCI_Group* group) {
    const Call call("ARMCI_Malloc_group");
    return allocate(members_of(group), addresses, bytes);
}

int ARMCI_Free_group(void* address, ARMCI_Group* group) {
    const Call call("ARMCI_Free_group");
    return release(members_of(group), address);
}

int ARMCI_Malloc_memdev(void* addresses[], armci_size_t bytes, const char*) {
    return ARMCI_Malloc(addresses, bytes);
}

int ARMCI_Free_memdev(void* address) {
    return ARMCI_Free(address);
}

int ARMCI_Malloc_group_memdev(void* addresses[], armci_size_t bytes, ARMCI_Group* group, const char*) {
    return ARMCI_Malloc_group(addresses, bytes, group);
}

void* ARMCI_Malloc_local(armci_size_t bytes) {
    const Call call("ARMCI_Malloc_local");
    if (bytes < 0) {
        refuse("bytes is {}", bytes);
    }
    void* place = nullptr;
    return ::posix_memalign(&place, 64, std::max<size_t>(static_cast<size_t>(bytes), 1)) == 0 ? place : nullptr;
}

int ARMCI_Free_local(void* address) {
    std::free(address);
    return 0;
}

}  // extern "C"
