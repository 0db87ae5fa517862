// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/memory/memory.h"

namespace syncline {

void* Memory::local(syncline_address_t address) const {
    const uint64_t segment = address >> 40;
    if (segment >= SLW_SEGMENTS_MAX) {
        return nullptr;
    }
    const uint64_t index = uint64_t{attachment_->port()} * SLW_SEGMENTS_MAX + segment;
    uint8_t* const base = attachment_->bases()[index];
    const uint64_t offset = address & LocalMemory::offset_mask;
    return base != nullptr && offset < attachment_->tables().segments[index].length ? base + offset : nullptr;
}

syncline_address_t Memory::address_of(const void* pointer) const {
    const auto* const byte = static_cast<const uint8_t*>(pointer);
    for (uint32_t segment = 0; segment < SLW_SEGMENTS_MAX; segment++) {
        const uint32_t index = attachment_->port() * SLW_SEGMENTS_MAX + segment;
        const uint8_t* const base = attachment_->bases()[index];
        if (base != nullptr && byte >= base && byte < base + attachment_->tables().segments[index].length) {
            return uint64_t{segment} << 40 | static_cast<uint64_t>(byte - base);
        }
    }
    return SYNCLINE_ADDRESS_NONE;
}

bool Memory::maps_node() const {
    return fabrics_->of(static_cast<int>(attachment_->rank())).capabilities().maps_memory;
}

uint32_t Memory::register_memory(void* base, uint64_t bytes, Attachment::Contents contents, UniqueFd* file) {
    return fabrics_->local_memory().add(base, bytes, contents, file);
}

void Memory::deregister_memory(uint32_t segment) {
    fabrics_->local_memory().remove(segment);
}

}  // namespace syncline
