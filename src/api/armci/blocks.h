// SPDX-License-Identifier: BSD-3-Clause
// The memory that one process has from ARMCI_Malloc(), as this process knows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "syncline.h"

namespace syncline::armci {

// One collective ARMCI_Malloc().
struct Allocation {
    std::vector<int> members;                   // of the group, in its order
    std::vector<int> holders;                   // those that have a block
    std::vector<syncline_address_t> addresses;  // of these blocks
};

struct Block {
    uint8_t* seen = nullptr;  // as this process names it: a pointer where it is mapped here
    uint64_t bytes = 0;
    syncline_address_t address = SYNCLINE_ADDRESS_NONE;
    bool is_mapped = false;
    std::shared_ptr<const Allocation> allocation;

    syncline_address_t address_of(const uint8_t* at) const { return address + static_cast<uint64_t>(at - seen); }
    bool holds(const uint8_t* at, uint64_t length) const {
        const auto offset = static_cast<uint64_t>(at - seen);
        return offset < bytes && length <= bytes - offset;
    }
};

class Blocks {
  public:
    // Forgets those that it overlaps: they have been freed without a word to this process.
    void learn(Block block);
    void forget(syncline_address_t address);
    // The block that has these bytes, until the next learn() or forget(); or NULL.
    const Block* find(const uint8_t* at, uint64_t bytes) const;

  private:
    // The last one that begins at `at` or below it, or its end.
    std::vector<Block>::const_iterator below(const uint8_t* at) const;

    std::vector<Block> blocks_;  // ascending
    mutable size_t last_ = 0;    // that was found
};

}  // namespace syncline::armci
