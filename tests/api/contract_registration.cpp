// SPDX-License-Identifier: BSD-3-Clause
// Method: every PE registers its own pages, tells all others the address through the heap, and all of them, of the same
// node and of others, put, get and update it. Then it is deregistered (accesses by others fail, contents stay), and
// registered again, also with other memory in the same place of the table, which must never reach the old pages.
#include <sys/mman.h>

#include <cstring>

#include "contract.h"

namespace contract {
namespace {

constexpr size_t page = 4096;
constexpr size_t bytes = 40 * page;  // more than two blocks

uint8_t* pages(size_t count) {
    void* const memory = mmap(nullptr, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(memory != MAP_FAILED);
    return static_cast<uint8_t*>(memory);
}

// Own address into the slot of every PE; [pe] is then the address of pe's registration.
void publish(syncline_address_t directory, syncline_address_t address) {
    for (int pe = 0; pe < size(); pe++) {
        MUST(syncline_put(pe, directory + static_cast<size_t>(rank()) * 8, &address, sizeof(address)));
    }
    MUST(syncline_barrier());
}

void access_all(syncline_address_t directory, uint8_t version) {
    std::vector<uint8_t> data(3000);
    for (int i = 0; i < size(); i++) {
        const int target = (rank() + i) % size();
        const syncline_address_t there = local(directory)[target];
        MUST(syncline_get(target, there + bytes - 16, data.data(), 16));
        EXPECT(data[0] == version && data[15] == version);  // contents were kept
        uint64_t old = 0;
        MUST(syncline_fetch_add64(target, there + 65536, 1, &old));
        MUST(syncline_add64(target, there + 65544, 2));
        std::fill(data.begin(), data.end(), static_cast<uint8_t>(rank() + version));
        MUST(syncline_put(target, there + 5000 + static_cast<size_t>(rank()) * data.size(), data.data(), data.size()));
        EXPECT_STATUS(syncline_get(target, there + bytes - 8, data.data(), 16), SYNCLINE_ERR_ADDRESS);
        EXPECT_STATUS(syncline_fetch_add64(target, there + bytes, 1, &old), SYNCLINE_ERR_ADDRESS);
    }
    MUST(syncline_quiet());
    MUST(syncline_barrier());
}

void check_own(const uint8_t* memory, uint8_t version) {
    uint64_t counters[2];
    std::memcpy(counters, memory + 65536, sizeof(counters));
    EXPECT(counters[0] == static_cast<uint64_t>(size()) && counters[1] == static_cast<uint64_t>(size()) * 2);
    for (int pe = 0; pe < size(); pe++) {
        const uint8_t* const piece = memory + 5000 + static_cast<size_t>(pe) * 3000;
        EXPECT(piece[0] == static_cast<uint8_t>(pe + version) && piece[2999] == static_cast<uint8_t>(pe + version));
    }
}

void expect_closed(syncline_address_t directory) {
    for (int target = 0; target < size(); target++) {
        uint64_t value = 7;
        const syncline_address_t there = local(directory)[target];
        EXPECT_ERROR(syncline_fetch_add64(target, there, 1, &value), SYNCLINE_ERR_ADDRESS, "syncline_fetch_add64");
        EXPECT_ERROR(syncline_put(target, there + 8, &value, 8), SYNCLINE_ERR_ADDRESS, "syncline_put");
        EXPECT_ERROR(syncline_get(target, there + 16, &value, 8), SYNCLINE_ERR_ADDRESS, "syncline_get");
        EXPECT(value == 7);
    }
    MUST(syncline_barrier());
}

void again_and_again() {
    const syncline_address_t directory = allocate(static_cast<size_t>(size()) * 8);
    uint8_t* const first = pages(bytes);
    for (uint8_t version = 1; version <= 3; version++) {
        // Odd rounds with the same pages, even ones with other pages in the same place of the table.
        uint8_t* const memory = version % 2 != 0 ? first : pages(bytes);
        std::memset(memory, version, bytes);
        std::memset(memory + 65536, 0, 16);
        syncline_address_t address = 0;
        MUST(syncline_register(memory, bytes, &address));
        EXPECT(memory[0] == version && memory[bytes - 1] == version);
        EXPECT(syncline_local(address) == memory && syncline_address(memory + 17) == address + 17);
        publish(directory, address);
        access_all(directory, version);
        check_own(memory, version);
        MUST(syncline_deregister(address));
        check_own(memory, version);  // stays valid
        memory[0] = 1;
        EXPECT(syncline_address(memory) == SYNCLINE_ADDRESS_NONE && syncline_local(address) == nullptr);
        MUST(syncline_barrier());
        expect_closed(directory);
    }
    MUST(syncline_free(directory));
}

// All registrations at once; one too many is refused; each is its own memory.
void table_full() {
    constexpr int most = 15;
    uint8_t* const memory = pages(page * (most + 1));
    syncline_address_t addresses[most];
    for (int i = 0; i < most; i++) {
        memory[static_cast<size_t>(i) * page] = static_cast<uint8_t>(i + 1);
        MUST(syncline_register(memory + static_cast<size_t>(i) * page, page, &addresses[i]));
    }
    syncline_address_t one_more = 99;
    EXPECT_ERROR(syncline_register(memory + most * page, page, &one_more), SYNCLINE_ERR_BUSY, "syncline_register");
    EXPECT(one_more == 99);
    for (int i = 0; i < most; i++) {
        EXPECT(memory[static_cast<size_t>(i) * page] == i + 1);
        MUST(syncline_deregister(addresses[(i * 4) % most]));
    }
    MUST(syncline_register(memory + most * page, page, &one_more));
    MUST(syncline_deregister(one_more));
    EXPECT_ERROR(syncline_deregister(one_more), SYNCLINE_ERR_ADDRESS, "syncline_deregister");
    EXPECT_ERROR(syncline_deregister(0), SYNCLINE_ERR_ADDRESS, "syncline_deregister");
    EXPECT_ERROR(syncline_deregister(8), SYNCLINE_ERR_ADDRESS, "syncline_deregister");
    EXPECT_ERROR(syncline_deregister(SYNCLINE_ADDRESS_NONE), SYNCLINE_ERR_ADDRESS, "syncline_deregister");
    EXPECT_ERROR(syncline_deregister(20ull << 40), SYNCLINE_ERR_ADDRESS, "syncline_deregister");
    MUST(syncline_barrier());
}

// A waiter may wait for a word of registered memory.
void wait_in_registered() {
    const syncline_address_t directory = allocate(static_cast<size_t>(size()) * 8);
    uint8_t* const memory = pages(page);
    syncline_address_t address = 0;
    MUST(syncline_register(memory, page, &address));
    publish(directory, address);
    const int next = (rank() + 1) % size();
    MUST(syncline_add64(next, local(directory)[next] + 64, 3));
    MUST(syncline_wait_until64(reinterpret_cast<uint64_t*>(memory + 64), SYNCLINE_EQ, 3, 20'000'000));
    MUST(syncline_barrier());
    MUST(syncline_deregister(address));
}

}  // namespace

void run_registration() {
    again_and_again();
    table_full();
    wait_in_registered();
}

}  // namespace contract
