// SPDX-License-Identifier: BSD-3-Clause
// Method: all PEs allocate and free the same seeded sequence and compare their addresses with PE 0's; overlaps would
// show as damaged patterns. Then the heap is used up: the failing call says what is left, and everything goes on.
#include <cstring>
#include <map>

#include "contract.h"

namespace contract {
namespace {

void same_everywhere(syncline_address_t common, syncline_address_t mine) {
    if (rank() == 0) {
        *local(common) = mine;
    }
    MUST(syncline_barrier());
    EXPECT(read64(0, common) == mine);
    MUST(syncline_barrier());
}

void symmetric() {
    const syncline_address_t common = allocate(8);
    std::map<syncline_address_t, size_t> blocks;
    Random random(11);
    for (int step = 0; step < 60; step++) {
        if (!blocks.empty() && random.below(3) == 0) {
            auto victim = blocks.begin();
            std::advance(victim, static_cast<long>(random.below(blocks.size())));
            const auto* const bytes = local<uint8_t>(victim->first);
            for (size_t i = 0; i < victim->second; i++) {
                EXPECT(bytes[i] == static_cast<uint8_t>(victim->first >> 4));
            }
            MUST(syncline_free(victim->first));
            blocks.erase(victim);
            continue;
        }
        const size_t bytes = 1 + random.below(20000);
        const size_t alignment = size_t{1} << random.below(17);
        syncline_address_t address = SYNCLINE_ADDRESS_NONE;
        MUST(syncline_alloc(bytes, alignment, &address));
        EXPECT(address % alignment == 0);
        same_everywhere(common, address);
        std::memset(syncline_local(address), static_cast<uint8_t>(address >> 4), bytes);
        blocks[address] = bytes;
    }
    for (const auto& [address, bytes] : blocks) {
        MUST(syncline_free(address));
    }
    MUST(syncline_free(common));
}

void alignments() {
    for (const size_t alignment : {0u, 1u, 2u, 16u, 64u, 4096u, 65536u, 1u << 20}) {
        syncline_address_t address = SYNCLINE_ADDRESS_NONE;
        MUST(syncline_alloc(1, alignment, &address));
        EXPECT(address % (alignment != 0 ? alignment : 64) == 0);
        EXPECT(syncline_address(syncline_local(address)) == address);
        MUST(syncline_free(address));
    }
}

void exhaustion() {
    constexpr size_t piece = 3 << 20;
    std::vector<syncline_address_t> pieces;
    syncline_address_t address = 12345;
    EXPECT_ERROR(syncline_alloc(SIZE_MAX, 0, &address), SYNCLINE_ERR_NO_MEMORY, "syncline_alloc");
    EXPECT_ERROR(syncline_alloc(SIZE_MAX - 100, 0, &address), SYNCLINE_ERR_NO_MEMORY, "--heap");
    EXPECT_ERROR(syncline_alloc(1ull << 40, 0, &address), SYNCLINE_ERR_NO_MEMORY, "SYNCLINE_HEAP_SIZE");
    int status = SYNCLINE_OK;
    for (;;) {
        forget_error();
        status = syncline_alloc(piece, 0, &address);
        if (status != SYNCLINE_OK) {
            break;
        }
        pieces.push_back(address);
        EXPECT(pieces.size() < 100000);
    }
    EXPECT(status == SYNCLINE_ERR_NO_MEMORY && error_names("syncline_alloc"));
    EXPECT(pieces.empty() || address == pieces.back());  // outputs are written only on success
    EXPECT(!pieces.empty());
    // Everything goes on: operations, and smaller allocations.
    uint64_t old = 0;
    MUST(syncline_fetch_add64((rank() + 1) % size(), pieces[0], 1, &old));
    MUST(syncline_alloc(64, 0, &address));
    MUST(syncline_free(address));
    for (const syncline_address_t one : pieces) {
        MUST(syncline_free(one));
    }
    // All of it is one range again.
    const size_t all = pieces.size() * piece;
    MUST(syncline_alloc(all, 0, &address));
    local<uint8_t>(address)[all - 1] = 1;
    MUST(syncline_free(address));
}

void free_errors() {
    const syncline_address_t address = allocate(100);
    EXPECT_ERROR(syncline_free(address + 16), SYNCLINE_ERR_ADDRESS, "syncline_free");
    EXPECT_ERROR(syncline_free(SYNCLINE_ADDRESS_NONE), SYNCLINE_ERR_ADDRESS, "syncline_free");
    MUST(syncline_free(address));
    EXPECT_ERROR(syncline_free(address), SYNCLINE_ERR_ADDRESS, "syncline_free");
    EXPECT_ERROR(syncline_free(0), SYNCLINE_ERR_ADDRESS, "syncline_free");
}

// syncline_pointer() and syncline_local() give the memory that operations reach.
void pointers() {
    const syncline_address_t words = allocate(static_cast<size_t>(size()) * 8);
    const syncline_address_t mine = words + static_cast<size_t>(rank()) * 8;
    for (int pe = 0; pe < size(); pe++) {
        auto* const direct = static_cast<uint64_t*>(syncline_pointer(pe, mine));
        EXPECT(direct == nullptr || syncline_node_of(pe) == syncline_node_of(rank()));
        if (direct != nullptr) {
            __atomic_fetch_add(direct, 5, __ATOMIC_SEQ_CST);
        } else {
            uint64_t old = 0;
            MUST(syncline_fetch_add64(pe, mine, 5, &old));
        }
        EXPECT(read64(pe, mine) == 5);
    }
    MUST(syncline_barrier());
    for (int pe = 0; pe < size(); pe++) {
        EXPECT(local(words)[pe] == 5);
    }
    int on_stack = 0;
    EXPECT(syncline_address(&on_stack) == SYNCLINE_ADDRESS_NONE);
    EXPECT(syncline_address(nullptr) == SYNCLINE_ADDRESS_NONE);
    EXPECT(syncline_local(SYNCLINE_ADDRESS_NONE) == nullptr && syncline_local(1ull << 39) == nullptr);
    EXPECT(syncline_pointer(-1, words) == nullptr && syncline_pointer(size(), words) == nullptr);
    EXPECT(syncline_pointer(rank(), SYNCLINE_ADDRESS_NONE) == nullptr);
    EXPECT(syncline_pointer(rank(), 1ull << 39) == nullptr);
    MUST(syncline_free(words));
}

}  // namespace

void run_memory() {
    symmetric();
    alignments();
    exhaustion();
    free_errors();
    pointers();
}

}  // namespace contract
