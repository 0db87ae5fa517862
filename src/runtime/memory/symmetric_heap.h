// SPDX-License-Identifier: BSD-3-Clause
// The symmetric heap, which grows. All PEs make the same calls, so each allocates by itself and comes to the same
// answer.
//
// It begins with the job's heap (segment 0). Where that is full, every PE registers a further segment, as long as what
// there is already, so that the few segments there are suffice; where the memory is too short for that, half as long,
// and so on down to the request. Whether all could is agreed upon: a heap that grew at some only would not be
// symmetric.
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
    // `first` is the allocator of the job's heap; all may grow to `limit` bytes.
    SymmetricHeap(World* world, Heap* first, uint64_t limit);

    // Memory aligned to a power of two, or NULL with the reason as the status: OK where it does not fit, or the status
    // of the group. Does not wait for the others, unless it has to grow.
    void* allocate(uint64_t bytes, uint64_t alignment, int* status);
    // False if nothing was allocated there.
    bool free(void* pointer);
    // How many bytes were asked for; 0 if nothing was allocated there.
    uint64_t size_of(void* pointer) const;
    uint64_t bytes() const { return bytes_; }

    // Frees everything.
    void clear();
    // Makes symmetric what the heap has: its beginning, and what it has grown by.
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
