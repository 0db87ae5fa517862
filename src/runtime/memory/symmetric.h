// SPDX-License-Identifier: BSD-3-Clause
// The symmetric memory of this process: its heap, what the heap has grown by, and the data of its program. Each region
// is a segment of every PE, so a pointer into one is the same segment and offset at all of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "runtime/process/endpoint.h"

namespace syncline {

struct Region {
    uintptr_t start = 0;
    uint64_t bytes = 0;
    syncline_address_t address = 0;
    struct Peer {
        uint8_t* base = nullptr;         // where its region is mapped here, or NULL
        const uint64_t* heap = nullptr;  // if mapped: the length of its heap, which is 0 once it has died or left
    };
    std::vector<Peer> peers;  // per PE
};

class Symmetric {
  public:
    // All PEs have opened the segment. Regions stay until clear(); threads may look while one is added.
    void add(Endpoint* endpoint, void* start, uint64_t bytes, syncline_address_t address);

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
        return nullptr;
    }

    void clear();

  private:
    Region regions_[SLW_SEGMENTS_MAX];
    std::atomic<uint32_t> count_{0};
};

}  // namespace syncline
