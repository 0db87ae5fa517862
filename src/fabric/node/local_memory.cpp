// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/node/local_memory.h"

#include <mutex>
#include <ranges>

#include "base/failure.h"
#include "base/os.h"
#include "base/sizes.h"

namespace syncline {

using Guard = std::lock_guard<SpinLock>;

LocalMemory::LocalMemory(Attachment* attachment)
    : attachment_(attachment), mapped_generation_(SLW_PORTS_MAX * SLW_SEGMENTS_MAX) {}

// A registration that was deregistered and made anew has another generation, and other memory.
bool LocalMemory::map(uint32_t port, uint32_t segment) {
    const Guard guard(lock_);
    const uint32_t index = port * SLW_SEGMENTS_MAX + segment;
    const uint32_t generation = __atomic_load_n(&attachment_->tables().segments[index].generation, __ATOMIC_ACQUIRE);
    if (mapped_generation_[index] != generation) {
        attachment_->bases()[index] = nullptr;
    }
    if (!attachment_->map_segment(port, segment)) {
        return false;
    }
    mapped_generation_[index] = generation;
    return true;
}

int LocalMemory::refusal(uint32_t port, syncline_address_t address) const {
    const fw_segment& entry = attachment_->tables().segments[port * SLW_SEGMENTS_MAX + (address >> 40)];
    return __atomic_load_n(&entry.state, __ATOMIC_ACQUIRE) == FW_SEGMENT_CLOSED ? SYNCLINE_ERR_PEER
                                                                                : SYNCLINE_ERR_ADDRESS;
}

uint32_t LocalMemory::add(void* base, uint64_t bytes, Attachment::Contents contents, UniqueFd* file) {
    const Guard guard(lock_);
    const auto start = reinterpret_cast<uintptr_t>(base);
    const auto overlaps = [&](const uint8_t* other, uint64_t length) {
        const auto first = reinterpret_cast<uintptr_t>(other);
        return first != 0 && start < first + length && first < plus(start, bytes);
    };
    for (uint32_t segment = 0; segment < SLW_SEGMENTS_MAX; segment++) {
        const uint32_t index = attachment_->port() * SLW_SEGMENTS_MAX + segment;
        if (overlaps(attachment_->bases()[index], attachment_->tables().segments[index].length)) {
            fail(SYNCLINE_ERR_INVALID, "{} bytes at {} overlap segment {}, which is registered", bytes, base, segment);
        }
    }
    for (const Moved& moved : moved_) {
        if (overlaps(moved.start, moved.bytes)) {
            fail(SYNCLINE_ERR_INVALID, "{} bytes at {} overlap variables, which are symmetric already", bytes, base);
        }
    }
    return attachment_->register_memory(base, bytes, contents, file);
}

uint32_t LocalMemory::move(const std::vector<MemoryRun>& runs) {
    const Guard guard(lock_);
    const uint32_t segment = attachment_->move_memory(runs);
    syncline_address_t address = uint64_t{segment} << 40;
    for (const MemoryRun& run : runs) {
        moved_.push_back({static_cast<uint8_t*>(run.start), run.bytes, address});
        address += run.bytes;
    }
    return segment;
}

// Searches the newest first, because variables of a library that was loaded again were moved again.
syncline_address_t LocalMemory::address_of(const void* pointer) {
    const Guard guard(lock_);
    const auto place = reinterpret_cast<uintptr_t>(pointer);
    for (const Moved& moved : std::views::reverse(moved_)) {
        if (place - reinterpret_cast<uintptr_t>(moved.start) < moved.bytes) {
            return moved.address + (place - reinterpret_cast<uintptr_t>(moved.start));
        }
    }
    for (uint32_t segment = 0; segment < SLW_SEGMENTS_MAX; segment++) {
        const uint32_t index = attachment_->port() * SLW_SEGMENTS_MAX + segment;
        const auto base = reinterpret_cast<uintptr_t>(attachment_->bases()[index]);
        if (base != 0 && place - base < attachment_->tables().segments[index].length) {
            return uint64_t{segment} << 40 | (place - base);
        }
    }
    return SYNCLINE_ADDRESS_NONE;
}

void* LocalMemory::at(syncline_address_t address) {
    const uint64_t segment = address >> 40;
    if (segment >= SLW_SEGMENTS_MAX) {
        return nullptr;
    }
    const Guard guard(lock_);
    for (const Moved& moved : moved_) {
        if (address - moved.address < moved.bytes) {
            return moved.start + (address - moved.address);
        }
    }
    const uint64_t index = uint64_t{attachment_->port()} * SLW_SEGMENTS_MAX + segment;
    uint8_t* const base = attachment_->bases()[index];
    const uint64_t offset = address & offset_mask;
    return base != nullptr && offset < attachment_->tables().segments[index].length ? base + offset : nullptr;
}

void LocalMemory::remove(uint32_t segment) {
    const Guard guard(lock_);
    attachment_->deregister_memory(segment);
}

void LocalMemory::wake(uint32_t port) {
    if (__atomic_exchange_n(&attachment_->tables().ports[port].waiting, 0, __ATOMIC_SEQ_CST) != 0) {
        signal(port);
    }
}

void LocalMemory::signal(uint32_t port) {
    signal_event(attachment_->event(port));
}

}  // namespace syncline
