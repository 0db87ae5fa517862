// SPDX-License-Identifier: BSD-3-Clause
// Which parts of the shared memory are allocated. The list of them lies in the shared memory itself, in its first
// pages, and its user holds the allocator's lock, so any process allocates and any gives back: it is a program of the
// DSM as others are.
//
// First fit in the order of addresses. From a page's size on, an allocation has pages of its own; others are aligned to
// 64 bytes.
#pragma once

#include <cstdint>

#include "dsm/core/view.h"

namespace syncline::dsm {

class Allocator {
  public:
    static constexpr uint64_t none = UINT64_MAX;

    // `memory`: the shared memory, as its program sees it.
    Allocator(uint8_t* memory, uint64_t bytes) : list_(reinterpret_cast<List*>(memory)), bytes_(bytes) {}

    // The length of the list; allocations lie behind it.
    static uint64_t list_bytes(uint64_t bytes);
    static uint64_t alignment_of(uint64_t bytes) { return bytes >= page_bytes ? page_bytes : 64; }

    // By one process, before any other call.
    void clear();
    // The offset, or `none`. *fresh: the first page from which on no allocation has ever been.
    uint64_t allocate(uint64_t bytes, uint32_t* fresh);
    bool free(uint64_t offset);
    // 0 if the list is full.
    uint64_t largest_free() const;

  private:
    struct Block {
        uint64_t offset;
        uint64_t bytes;  // a multiple of the alignment
    };
    struct List {
        uint64_t count;
        uint64_t top;  // no allocation has ever reached beyond
        Block blocks[];
    };

    uint64_t first() const { return list_bytes(bytes_); }
    uint64_t room() const { return (list_bytes(bytes_) - sizeof(List)) / sizeof(Block); }

    List* const list_;
    const uint64_t bytes_;
};

}  // namespace syncline::dsm
