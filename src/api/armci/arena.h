// SPDX-License-Identifier: BSD-3-Clause
// The memory of this process that other processes can reach: a few registrations, each at least as long as all earlier
// ones together, so that the fifteen possible registrations suffice.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "syncline.h"

namespace syncline::armci {

// A registration. Each process places it anywhere in its own address space.
struct Region {
    uint8_t* base = nullptr;
    uint64_t bytes = 0;
    syncline_address_t address = SYNCLINE_ADDRESS_NONE;
};

class Arena {
  public:
    // Returns memory aligned to a cache line and not cleared, or NULL if no more can be had.
    uint8_t* allocate(uint64_t bytes);
    // Returns false if nothing was allocated there.
    bool free(void* block);
    // Ends all registrations. The memory stays, because the program may use it until the process ends.
    void give_back();
    // Returns the address of a block.
    syncline_address_t address_of(const void* block) const;

  private:
    static constexpr uint64_t least = 4ull << 20;
    static constexpr uint64_t line = 64;

    struct Part {
        Region region;
        std::map<uint64_t, uint64_t> free;  // offset -> end
        std::map<uint64_t, uint64_t> used;
    };

    static uint8_t* allocate_in(Part* part, uint64_t bytes);
    bool grow(uint64_t bytes);

    std::vector<Part> parts_;
    uint64_t bytes_ = 0;
};

}  // namespace syncline::armci
