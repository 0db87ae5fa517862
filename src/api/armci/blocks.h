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
    std::vector<int> members;                   // the group's members, in its order
    std::vector<int> holders;                   // the members that have a block
    std::vector<syncline_address_t> addresses;  // the addresses of their blocks
};

struct Block {
    uint8_t* seen = nullptr;  // the address by which this process names it; a pointer if it is mapped here
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
    // Adds a block, and forgets the blocks that it overlaps: their owner has freed them without telling this process.
    void learn(Block block);
    void forget(syncline_address_t address);
    // Returns the block that holds these bytes, valid until the next learn() or forget(); or NULL.
    const Block* find(const uint8_t* at, uint64_t bytes) const;

  private:
    // Returns the last block that begins at `at` or below, or the end.
    std::vector<Block>::const_iterator below(const uint8_t* at) const;

    std::vector<Block> blocks_;  // in ascending order
    mutable size_t last_ = 0;    // index of the block that was found last
};

}  // namespace syncline::armci
