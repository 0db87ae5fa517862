// SPDX-License-Identifier: BSD-3-Clause
// The symmetric heap's allocator. It deals in offsets only, so PEs that make equal calls get equal answers without
// asking another PE. First fit, with neighbouring free ranges joined.
#pragma once

#include <cstdint>
#include <map>

namespace syncline {

class Heap {
  public:
    Heap(uint64_t start, uint64_t end);

    static constexpr uint64_t none = UINT64_MAX;

    // Returns the offset of `bytes` aligned to a power of two, or nothing.
    uint64_t allocate(uint64_t bytes, uint64_t alignment);
    // Returns false if nothing was allocated at this offset.
    bool free(uint64_t offset);

    uint64_t largest_free() const;

  private:
    void check() const;
    std::map<uint64_t, uint64_t> free_;  // start -> end
    std::map<uint64_t, uint64_t> used_;  // start -> end
};

}  // namespace syncline
