// SPDX-License-Identifier: BSD-3-Clause
// The symmetric heap, which grows. All PEs make the same calls, so each PE allocates by itself and comes to the same
// answer.
//
// It begins with the job's heap (segment 0). When that is full, every PE registers a further segment, as long as the
// heap is already, so that the few segments there are suffice. If the memory is too short for that, the segment is half
// as long, and so on down to the request. The PEs agree on whether all of them could: a heap that grew at some PEs only
// would not be symmetric.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/memory/heap.h"
#include "syncline.h"

namespace syncline {

class World;

class SymmetricHeap {
  public:
    // `first` is the allocator of the job's heap; the heap may grow to `limit` bytes in all.
    SymmetricHeap(World* world, Heap* first, uint64_t limit);

    // Returns memory aligned to a power of two, or NULL with the reason in *status: OK if it does not fit, else the
    // group's status. Does not wait for the other PEs, unless the heap has to grow.
    void* allocate(uint64_t bytes, uint64_t alignment, int* status);
    // Returns false if nothing was allocated there.
    bool free(void* pointer);
    // Returns how many bytes were asked for; 0 if nothing was allocated there.
    uint64_t size_of(void* pointer) const;
    uint64_t bytes() const { return bytes_; }

    // Frees everything.
    void clear();
    // Makes all parts of the heap symmetric: its beginning, and the parts that it has grown by.
    void show() const;

  private:
    struct Part {
        uint8_t* base;
        uint64_t bytes;
        Heap* heap;
        std::unique_ptr<Heap> own;
        syncline_address_t address;
    };

    bool grow(uint64_t wanted, int* status);
    bool add_part(uint64_t size, int* status);
    void* allocate_in(Part& part, uint64_t bytes, uint64_t alignment);

    World* const world_;
    std::vector<Part> parts_;
    std::map<void*, uint64_t> sizes_;
    uint64_t bytes_;
    const uint64_t limit_;
    mutable std::mutex guard_;
};

}  // namespace syncline
