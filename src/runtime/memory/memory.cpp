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
    return fabrics_->local_memory().address_of(pointer);
}

void* Memory::in_program(syncline_address_t address) const {
    return address >> 40 == 0 ? local(address) : fabrics_->local_memory().at(address);
}

bool Memory::maps_node() const {
    return fabrics_->completes_at_once(static_cast<int>(attachment_->rank()));
}

uint32_t Memory::register_memory(void* base, uint64_t bytes, Attachment::Contents contents, UniqueFd* file) {
    return fabrics_->local_memory().add(base, bytes, contents, file);
}

uint32_t Memory::move_memory(const std::vector<MemoryRun>& runs) {
    return fabrics_->local_memory().move(runs);
}

void Memory::deregister_memory(uint32_t segment) {
    fabrics_->local_memory().remove(segment);
}

}  // namespace syncline
