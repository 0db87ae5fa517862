// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/symmetric/symmetric_heap.h"

#include <algorithm>

#include "base/check.h"
#include "base/failure.h"
#include "base/sizes.h"
#include "runtime/symmetric/world.h"

namespace syncline {

SymmetricHeap::SymmetricHeap(World* world, Heap* first, uint64_t limit)
    : world_(world), bytes_(world->process().job().spec.heap_bytes), limit_(limit) {
    parts_.push_back({static_cast<uint8_t*>(world->endpoint().memory().local(0)), bytes_, first, nullptr, 0});
}

void* SymmetricHeap::allocate_in(Part& part, uint64_t bytes, uint64_t alignment) {
    const uint64_t offset = part.heap->allocate(bytes, alignment);
    if (offset == Heap::none) {
        return nullptr;
    }
    SYNCLINE_ASSERT(offset < part.bytes && bytes <= part.bytes - offset, "%lu bytes at %lu of %lu", bytes, offset,
                    part.bytes);
    void* const pointer = part.base + offset;
    SYNCLINE_CHECK(!sizes_.contains(pointer), "%p is in use", pointer);
    sizes_[pointer] = bytes;
    return pointer;
}

void* SymmetricHeap::allocate(uint64_t bytes, uint64_t alignment, int* status) {
    *status = SYNCLINE_OK;
    const std::lock_guard<std::mutex> guard(guard_);
    for (Part& part : parts_) {
        if (void* const pointer = allocate_in(part, bytes, alignment); pointer != nullptr) {
            return pointer;
        }
    }
    if (bytes > limit_ || !grow(plus(bytes, alignment), status)) {
        return nullptr;
    }
    return allocate_in(parts_.back(), bytes, alignment);
}

bool SymmetricHeap::grow(uint64_t wanted, int* status) {
    const uint64_t least = round_up(wanted, SLW_BLOCK_BYTES);
    uint64_t size = round_up(std::max(wanted, bytes_), SLW_BLOCK_BYTES);
    while (plus(bytes_, size) > limit_ || !add_part(size, status)) {
        if (size == least || *status != SYNCLINE_OK) {
            return false;
        }
        size = std::max(least, round_up(size / 2, SLW_BLOCK_BYTES));
    }
    return true;
}

bool SymmetricHeap::add_part(uint64_t size, int* status) {
    Mapping memory;
    uint8_t* const base = memory.map_aligned(-1, size, heap_alignment) ? memory.at() : nullptr;
    uint64_t segment = 0;
    try {
        segment =
            base != nullptr ? world_->endpoint().memory().register_memory(base, size, Attachment::Contents::kNew) : 0;
    } catch (const Failure&) {
        segment = 0;
    }
    std::vector<uint64_t> segments;
    *status = world_->all().group().exchange(segment, &segments);
    const bool all = *status == SYNCLINE_OK &&
                     std::all_of(segments.begin(), segments.end(), [&](uint64_t of) { return of == segments[0]; });
    if (!all || segment == 0) {
        if (segment != 0) {
            world_->endpoint().memory().deregister_memory(static_cast<uint32_t>(segment));
        }
        return false;
    }
    memory.release();
    world_->add(base, size, segment << 40);
    auto heap = std::make_unique<Heap>(0, size);
    parts_.push_back({base, size, heap.get(), std::move(heap), segment << 40});
    bytes_ += size;
    return true;
}

void SymmetricHeap::clear() {
    const std::lock_guard<std::mutex> guard(guard_);
    for (const auto& [pointer, bytes] : sizes_) {
        const auto* const byte = static_cast<const uint8_t*>(pointer);
        for (Part& part : parts_) {
            if (byte >= part.base && byte < part.base + part.bytes) {
                part.heap->free(static_cast<uint64_t>(byte - part.base));
            }
        }
    }
    sizes_.clear();
}

void SymmetricHeap::show() const {
    for (const Part& part : parts_) {
        const uint64_t reserved = part.address == 0 ? heap_reserved_bytes : 0;
        world_->add(part.base + reserved, part.bytes - reserved, part.address + reserved);
    }
}

bool SymmetricHeap::free(void* pointer) {
    const std::lock_guard<std::mutex> guard(guard_);
    for (Part& part : parts_) {
        auto* const byte = static_cast<uint8_t*>(pointer);
        if (byte >= part.base && byte < part.base + part.bytes) {
            sizes_.erase(pointer);
            return part.heap->free(static_cast<uint64_t>(byte - part.base));
        }
    }
    return false;
}

uint64_t SymmetricHeap::size_of(void* pointer) const {
    const std::lock_guard<std::mutex> guard(guard_);
    const auto found = sizes_.find(pointer);
    return found != sizes_.end() ? found->second : 0;
}

}  // namespace syncline
