// SPDX-License-Identifier: BSD-3-Clause
// The symmetric memory of this process: its heap, the parts that the heap has grown by, and the data of its program and
// libraries. Each region is a segment of every PE, or a part of one, so a pointer into a region is the same segment and
// offset at all PEs.
//
// Shared words: add() writes a region, and then `count_` or the pointer to the region with release, which pairs with
// the acquire in find().
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/memory/memory.h"

namespace syncline {

struct Region {
    uintptr_t start = 0;
    uint64_t bytes = 0;
    syncline_address_t address = 0;
    struct Peer {
        uint8_t* base = nullptr;         // where the PE's region is mapped here, or NULL
        const uint64_t* heap = nullptr;  // if mapped: the PE's heap length, which is 0 once the PE has died or left
    };
    std::vector<Peer> peers;  // one for each PE
};

class Symmetric {
  public:
    // All PEs have opened the segment. Regions stay until clear(); other threads may search while one is added.
    void add(Attachment* attachment, const Memory& memory, void* start, uint64_t bytes, syncline_address_t address);

    const Region* find(const void* pointer, size_t bytes) const {
        const auto place = reinterpret_cast<uintptr_t>(pointer);
        const uint32_t count = count_.load(std::memory_order_acquire);
        for (uint32_t i = 0; i < count; i++) {
            const Region& region = regions_[i];
            const uint64_t offset = place - region.start;
            if (offset < region.bytes && bytes <= region.bytes - offset) {
                return &region;
            }
        }
        return find_further(pointer, bytes);
    }

    void clear();

  private:
    static constexpr uint32_t near_regions = 24;
    struct Further {
        Region region;
        std::atomic<Further*> next{nullptr};
    };

    [[gnu::noinline, gnu::cold]] const Region* find_further(const void* pointer, size_t bytes) const;

    Region regions_[near_regions];
    std::atomic<uint32_t> count_{0};
    // Further regions, if a program has many libraries. Other threads may search while one is added.
    std::atomic<Further*> first_{nullptr};
};

}  // namespace syncline
