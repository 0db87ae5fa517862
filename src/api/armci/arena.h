// SPDX-License-Identifier: BSD-3-Clause
// This process's memory that others reach: a few registrations, each at least as long as all before it, so that the
// fifteen that there may be suffice.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "syncline.h"

namespace syncline::armci {

// A registration. Its place in the address space is its process's.
struct Region {
    uint8_t* base = nullptr;
    uint64_t bytes = 0;
    syncline_address_t address = SYNCLINE_ADDRESS_NONE;
};

class Arena {
  public:
    // Memory aligned to a cache line, or NULL: there is no more. Not cleared.
    uint8_t* allocate(uint64_t bytes);
    // False if nothing was allocated there.
    bool free(void* block);
    // Ends all registrations. The memory stays: it may be the program's until the process ends.
    void give_back();
    // A block's address.
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
