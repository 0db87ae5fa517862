// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/memory/symmetric.h"

namespace syncline {

void Symmetric::clear() {
    count_.store(0, std::memory_order_release);
    for (Region& region : regions_) {
        region = Region{};
    }
}

void Symmetric::add(Endpoint* endpoint, void* start, uint64_t bytes, syncline_address_t address) {
    const uint32_t index = count_.load(std::memory_order_relaxed);
    Region& region = regions_[index];
    region.start = reinterpret_cast<uintptr_t>(start);
    region.bytes = bytes;
    region.address = address;
    for (uint32_t pe = 0; pe < endpoint->size(); pe++) {
        auto* const base = static_cast<uint8_t*>(endpoint->memory().pointer(static_cast<int>(pe), address, 1));
        const uint32_t port = endpoint->port_of(static_cast<int>(pe));
        region.peers.push_back({base, base != nullptr
                                          ? &endpoint->attachment().tables().segments[port * SLW_SEGMENTS_MAX].length
                                          : nullptr});
    }
    count_.store(index + 1, std::memory_order_release);
}

}  // namespace syncline
