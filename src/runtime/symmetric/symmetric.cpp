// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/symmetric/symmetric.h"

#include <utility>

namespace syncline {

void Symmetric::clear() {
    count_.store(0, std::memory_order_release);
    for (Region& region : regions_) {
        region = Region{};
    }
    for (Further* further = first_.exchange(nullptr, std::memory_order_acq_rel); further != nullptr;) {
        delete std::exchange(further, further->next.load(std::memory_order_relaxed));
    }
}

const Region* Symmetric::find_further(const void* pointer, size_t bytes) const {
    for (const Further* further = first_.load(std::memory_order_acquire); further != nullptr;
         further = further->next.load(std::memory_order_acquire)) {
        const uint64_t offset = reinterpret_cast<uintptr_t>(pointer) - further->region.start;
        if (offset < further->region.bytes && bytes <= further->region.bytes - offset) {
            return &further->region;
        }
    }
    return nullptr;
}

namespace {

Region make_region(Attachment* attachment, const Memory& memory, void* start, uint64_t bytes,
                   syncline_address_t address) {
    Region region;
    region.start = reinterpret_cast<uintptr_t>(start);
    region.bytes = bytes;
    region.address = address;
    for (uint32_t pe = 0; pe < attachment->config().ranks; pe++) {
        const bool own = pe == attachment->rank();
        auto* const mapped = static_cast<uint8_t*>(memory.pointer(static_cast<int>(pe), address, 1));
        uint8_t* const base = own && mapped != nullptr ? static_cast<uint8_t*>(start) : mapped;
        const uint32_t port = attachment->job().map.port_of(pe);
        region.peers.push_back(
            {base, base != nullptr ? &attachment->tables().segments[port * SLW_SEGMENTS_MAX].length : nullptr});
    }
    return region;
}

}  // namespace

void Symmetric::add(Attachment* attachment, const Memory& memory, void* start, uint64_t bytes,
                    syncline_address_t address) {
    Region region = make_region(attachment, memory, start, bytes, address);
    const uint32_t index = count_.load(std::memory_order_relaxed);
    if (index < near_regions) {
        regions_[index] = std::move(region);
        count_.store(index + 1, std::memory_order_release);
        return;
    }
    std::atomic<Further*>* last = &first_;
    while (last->load(std::memory_order_relaxed) != nullptr) {
        last = &last->load(std::memory_order_relaxed)->next;
    }
    auto* const further = new Further;
    further->region = std::move(region);
    last->store(further, std::memory_order_release);
}

}  // namespace syncline
