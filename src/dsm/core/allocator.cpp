// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/core/allocator.h"

#include <algorithm>
#include <cstring>

#include "base/sizes.h"

namespace syncline::dsm {
namespace {

constexpr uint64_t share = 128;  // of the memory, for the list

}  // namespace

uint64_t Allocator::list_bytes(uint64_t bytes) {
    return round_up(std::max<uint64_t>(bytes / share, page_bytes), page_bytes);
}

void Allocator::clear() {
    list_->count = 0;
    list_->top = first();
}

uint64_t Allocator::allocate(uint64_t bytes, uint32_t* fresh) {
    const uint64_t alignment = alignment_of(bytes);
    if (bytes == 0 || bytes > bytes_ || list_->count == room()) {
        return none;
    }
    const uint64_t length = round_up(bytes, alignment);
    uint64_t at = first();
    uint64_t place = 0;
    for (;; place++) {
        const uint64_t offset = round_up(at, alignment);
        const uint64_t end = place < list_->count ? list_->blocks[place].offset : bytes_;
        if (offset + length <= end) {
            at = offset;
            break;
        }
        if (place == list_->count) {
            return none;
        }
        at = list_->blocks[place].offset + list_->blocks[place].bytes;
    }
    Block* const block = list_->blocks + place;
    std::memmove(block + 1, block, (list_->count - place) * sizeof(Block));
    *block = {at, length};
    list_->count++;
    *fresh = static_cast<uint32_t>((list_->top + page_bytes - 1) / page_bytes);
    list_->top = std::max(list_->top, at + length);
    return at;
}

bool Allocator::free(uint64_t offset) {
    Block* const end = list_->blocks + list_->count;
    Block* const block = std::lower_bound(list_->blocks, end, offset,
                                          [](const Block& each, uint64_t wanted) { return each.offset < wanted; });
    if (block == end || block->offset != offset) {
        return false;
    }
    std::memmove(block, block + 1, static_cast<size_t>(end - block - 1) * sizeof(Block));
    list_->count--;
    return true;
}

uint64_t Allocator::largest_free() const {
    if (list_->count == room()) {
        return 0;
    }
    uint64_t largest = 0;
    uint64_t at = first();
    for (uint64_t place = 0; place <= list_->count; place++) {
        const uint64_t end = place < list_->count ? list_->blocks[place].offset : bytes_;
        largest = std::max(largest, end - std::min(at, end));
        at = place < list_->count ? end + list_->blocks[place].bytes : at;
    }
    return largest;
}

}  // namespace syncline::dsm
