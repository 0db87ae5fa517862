// SPDX-License-Identifier: BSD-3-Clause
#include "dsm/core/allocator.h"

#include <algorithm>
#include <bit>

#include "base/sizes.h"

namespace syncline::dsm {
namespace {

constexpr uint64_t share = 2048;  // of memory, for each block
constexpr uint64_t looks_per_class = 8;

}  // namespace

uint64_t Allocator::list_bytes(uint64_t bytes) {
    const uint64_t blocks = bytes / share + 16;
    return round_up(sizeof(List) + bytes / page_bytes * sizeof(uint32_t) + blocks * sizeof(Block), page_bytes);
}

Allocator::Allocator(uint8_t* memory, uint64_t bytes)
    : list_(reinterpret_cast<List*>(memory)),
      table_(reinterpret_cast<uint32_t*>(memory + sizeof(List))),
      blocks_(reinterpret_cast<Block*>(memory + sizeof(List) +
                                       round_up(bytes / page_bytes * sizeof(uint32_t), alignof(Block)))),
      room_(static_cast<uint64_t>(memory + list_bytes(bytes) - reinterpret_cast<uint8_t*>(blocks_)) / sizeof(Block)),
      bytes_(bytes) {}

void Allocator::clear() {
    const uint64_t first = list_bytes(bytes_);
    list_->top = first;
    list_->made = 1;
    if (first < bytes_) {
        list_->made = 2;
        blocks_[1] = {first, 0, 0, 0, 0};
        table_[first / page_bytes] = 1;
        offer(1);
    }
}

Allocator::Class Allocator::class_of(uint64_t bytes) {
    const uint64_t granules = bytes / granule;
    if (granules < steps) {
        return {0, granules};
    }
    const auto power = static_cast<uint64_t>(std::bit_width(granules)) - 4;  // log2 of granules from class to class
    return {power + 1, (granules >> power) - steps};
}

// Returns the least class whose blocks all have at least so many bytes.
Allocator::Class Allocator::class_with_room(uint64_t bytes) {
    const uint64_t granules = bytes / granule;
    const uint64_t distance = granules < steps ? 1 : uint64_t{1} << (std::bit_width(granules) - 4);
    return class_of(round_up(granules, distance) * granule);
}

bool Allocator::fits(uint32_t block, uint64_t length, uint64_t alignment) const {
    return round_up(start(block), alignment) + length <= end(block);
}

// Returns the first block that fits among the next `most` blocks of a class; 0: none.
uint32_t Allocator::find_among(uint32_t block, uint64_t most, uint64_t length, uint64_t alignment) const {
    for (; block != 0 && most > 0 && !fits(block, length, alignment); most--) {
        block = blocks_[block].free_after;
    }
    return most > 0 ? block : 0;
}

// Returns the first block of this class or, if it is empty, of the next class that has blocks.
uint32_t Allocator::find_in_class_from(Class least) const {
    uint64_t row = least.row;
    auto in_row = static_cast<uint32_t>(list_->full_steps[row] >> least.step << least.step);
    if (in_row == 0) {
        const uint64_t above = list_->full_rows >> row >> 1;
        if (above == 0) {
            return 0;
        }
        row += 1 + static_cast<uint64_t>(std::countr_zero(above));
        in_row = list_->full_steps[row];
    }
    return list_->first[row][std::countr_zero(in_row)];
}

uint32_t Allocator::find(uint64_t length, uint64_t alignment) const {
    const Class own = class_of(length);
    if (const uint32_t found = find_among(list_->first[own.row][own.step], looks_per_class, length, alignment);
        found != 0) {
        return found;
    }
    if (const uint32_t found = find_in_class_from(class_with_room(length + alignment - granule)); found != 0) {
        return found;
    }
    uint32_t found = 0;
    for (uint64_t at = own.row * steps + own.step; found == 0 && at < rows * steps; at++) {
        found = find_among(list_->first[at / steps][at % steps], room_, length, alignment);
    }
    return found;
}

bool Allocator::has_unused(uint64_t count) const {
    const uint64_t returned = list_->unused == 0 ? 0 : blocks_[list_->unused].after == 0 ? 1 : 2;
    return returned + room_ - list_->made >= count;
}

void Allocator::offer(uint32_t block) {
    const auto [row, step] = class_of(end(block) - start(block));
    uint32_t* const first = &list_->first[row][step];
    blocks_[block].free_before = 0;
    blocks_[block].free_after = *first;
    blocks_[*first].free_before = block;  // if `*first` is 0, this writes to block 0, which stands for none
    *first = block;
    list_->full_rows |= uint64_t{1} << row;
    list_->full_steps[row] = static_cast<uint8_t>(list_->full_steps[row] | 1u << step);
}

void Allocator::withdraw(uint32_t block) {
    const auto [row, step] = class_of(end(block) - start(block));
    const Block& own = blocks_[block];
    blocks_[own.free_after].free_before = own.free_before;
    if (own.free_before != 0) {
        blocks_[own.free_before].free_after = own.free_after;
        return;
    }
    list_->first[row][step] = own.free_after;
    if (own.free_after == 0) {
        list_->full_steps[row] = static_cast<uint8_t>(list_->full_steps[row] & ~(1u << step));
        list_->full_rows &= list_->full_steps[row] != 0 ? UINT64_MAX : ~(uint64_t{1} << row);
    }
}

// Cuts off the rest of a block, from an offset on, as a block of its own.
uint32_t Allocator::cut(uint32_t block, uint64_t at) {
    uint32_t rest = list_->unused;
    if (rest != 0) {
        list_->unused = blocks_[rest].after;
    } else {
        rest = list_->made++;
    }
    const uint32_t after = blocks_[block].after;
    blocks_[rest] = {at, block, after, 0, 0};
    blocks_[after].before = rest;
    blocks_[block].after = rest;
    uint32_t* const in_page = &table_[at / page_bytes];
    if (*in_page == 0 || start(*in_page) > at) {
        *in_page = rest;
    }
    return rest;
}

void Allocator::join_with_next(uint32_t block) {
    const uint32_t gone = blocks_[block].after;
    const uint32_t after = blocks_[gone].after;
    const uint64_t page = start(gone) / page_bytes;
    if (table_[page] == gone) {
        table_[page] = after != 0 && start(after) / page_bytes == page ? after : 0;
    }
    blocks_[block].after = after;
    blocks_[after].before = block;
    blocks_[gone].after = list_->unused;
    list_->unused = gone;
}

uint64_t Allocator::allocate(uint64_t bytes, uint32_t* fresh) {
    const uint64_t alignment = alignment_of(bytes);
    if (bytes == 0 || bytes > bytes_) {
        return none;
    }
    const uint64_t length = round_up(bytes, alignment);
    uint32_t block = find(length, alignment);
    if (block == 0) {
        return none;
    }
    const uint64_t at = round_up(start(block), alignment);
    const bool has_gap = at > start(block);
    const bool has_rest = at + length < end(block);
    if (!has_unused((has_gap ? 1 : 0) + (has_rest ? 1 : 0))) {
        return none;
    }
    withdraw(block);
    if (has_gap) {
        const uint32_t gap = block;
        block = cut(gap, at);
        offer(gap);
    }
    if (has_rest) {
        offer(cut(block, at + length));
    }
    blocks_[block].start |= 1;
    *fresh = static_cast<uint32_t>((list_->top + page_bytes - 1) / page_bytes);
    list_->top = std::max(list_->top, at + length);
    return at;
}

// Returns the block in use that begins at an offset. At most 64 blocks begin in one page.
uint32_t Allocator::find_start(uint64_t offset) const {
    uint32_t block = offset < bytes_ ? table_[offset / page_bytes] : 0;
    while (block != 0 && start(block) < offset) {
        block = blocks_[block].after;
    }
    return block != 0 && start(block) == offset && is_used(block) ? block : 0;
}

bool Allocator::free(uint64_t offset) {
    uint32_t block = find_start(offset);
    if (block == 0) {
        return false;
    }
    blocks_[block].start &= ~uint64_t{1};
    const uint32_t before = blocks_[block].before;
    const uint32_t after = blocks_[block].after;
    if (after != 0 && !is_used(after)) {
        withdraw(after);
        join_with_next(block);
    }
    if (before != 0 && !is_used(before)) {
        withdraw(before);
        join_with_next(before);
        block = before;
    }
    offer(block);
    return true;
}

uint64_t Allocator::largest_free() const {
    if (!has_unused(1) || list_->full_rows == 0) {
        return 0;
    }
    const auto row = static_cast<uint64_t>(std::bit_width(list_->full_rows)) - 1;
    const auto step = static_cast<uint64_t>(std::bit_width(uint32_t{list_->full_steps[row]})) - 1;
    uint64_t largest = 0;
    for (uint32_t block = list_->first[row][step]; block != 0; block = blocks_[block].free_after) {
        largest = std::max(largest, end(block) - start(block));
    }
    return largest;
}

}  // namespace syncline::dsm
