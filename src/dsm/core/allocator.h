// SPDX-License-Identifier: BSD-3-Clause
// Which parts of the shared memory are allocated. The allocator's data are in the shared memory itself, in its first
// pages, and the caller holds the allocator's lock. So any process may allocate and any may give back: the allocator is
// an ordinary program of the DSM.
//
// Memory is a chain of blocks in the order of addresses, each in use or free, and no two free blocks follow each other.
// Free blocks are in lists, one for each class of sizes; a size and its double are eight classes apart (Masmano and
// others, "TLSF: A New Dynamic Memory Allocator for Real-Time Systems", 2004). A table has the first block that begins
// in each page. So a call looks at a few blocks, however many there are: allocate() looks at eight blocks of the class
// to which the size itself belongs, then at one block of a class whose blocks all have room. Only if there is none does
// it look at all remaining blocks. The data about a block are not in the block's own memory, whose pages get their
// homes by their use.
//
// An allocation of at least a page has pages of its own; others are aligned to 64 bytes.
#pragma once

#include <cstdint>

#include "dsm/core/view.h"

namespace syncline::dsm {

class Allocator {
  public:
    static constexpr uint64_t none = UINT64_MAX;

    // `memory`: the shared memory, as the program sees it; at first it is zeros.
    Allocator(uint8_t* memory, uint64_t bytes);

    // Returns the length of the first pages, which hold the allocator's data; allocations lie behind them.
    static uint64_t list_bytes(uint64_t bytes);
    static uint64_t alignment_of(uint64_t bytes) { return bytes >= page_bytes ? page_bytes : granule; }

    // Called by one process, before any other call.
    void clear();
    // Returns the offset, or `none`. *fresh: the first page of those that no allocation has ever had.
    uint64_t allocate(uint64_t bytes, uint32_t* fresh);
    bool free(uint64_t offset);
    // Returns 0 if there is no room for another block.
    uint64_t largest_free() const;
    // Returns whether the table of blocks has fewer than two unused ones, which an allocation may need.
    bool lacks_blocks() const { return !has_unused(2); }

  private:
    static constexpr uint64_t granule = 64;
    static constexpr uint64_t steps = 8;  // classes between a size and its double
    static constexpr uint64_t rows = 40;

    // A block, named by its number; 0 stands for none.
    struct Block {
        uint64_t start;  // its offset, and 1 if it is in use
        uint32_t before, after;
        uint32_t free_before, free_after;  // neighbours in the list of its class
    };
    struct Class {
        uint64_t row, step;
    };
    struct List {
        uint64_t top;     // no allocation has ever reached beyond this offset
        uint32_t made;    // highest number of blocks so far
        uint32_t unused;  // first free number among these; `after` links them
        uint64_t full_rows;
        uint8_t full_steps[rows];  // bits of the classes that have blocks
        uint32_t first[rows][steps];
    };

    static Class class_of(uint64_t bytes);
    static Class class_with_room(uint64_t bytes);
    uint64_t start(uint32_t block) const { return blocks_[block].start & ~uint64_t{1}; }
    uint64_t end(uint32_t block) const { return blocks_[block].after != 0 ? start(blocks_[block].after) : bytes_; }
    bool is_used(uint32_t block) const { return (blocks_[block].start & 1) != 0; }
    bool fits(uint32_t block, uint64_t length, uint64_t alignment) const;
    uint32_t find_among(uint32_t block, uint64_t most, uint64_t length, uint64_t alignment) const;
    uint32_t find_in_class_from(Class least) const;
    uint32_t find(uint64_t length, uint64_t alignment) const;
    bool has_unused(uint64_t count) const;
    void offer(uint32_t block);
    void withdraw(uint32_t block);
    uint32_t cut(uint32_t block, uint64_t at);
    void join_with_next(uint32_t block);
    uint32_t find_start(uint64_t offset) const;

    List* const list_;
    uint32_t* const table_;  // for each page, the first block that begins in it
    Block* const blocks_;
    const uint64_t room_;  // number of blocks for which there is room
    const uint64_t bytes_;
};

}  // namespace syncline::dsm
