// SPDX-License-Identifier: BSD-3-Clause
// Sums of floating-point numbers in a job of one node, where no NIC adds. A process adds them under a lock, by plain
// instructions: some thirty times as fast as a compare&swap of each number, and at any address. The CPU's atomics add
// integers, because ARMCI_Rmw() must be atomic with these sums.
//
// Each process has locks for the parts of its memory, in its symmetric heap. A lock's word is 0, or the rank + 1 of the
// process that adds there. A process that finds 0 sets it (acquire), which pairs with the holder's store of 0
// (release). A process that waits checks now and then whether the holder lives.
#pragma once

#include <cstdint>
#include <vector>

#include "api/armci/layout.h"
#include "api/armci/numbers.h"
#include "syncline.h"

namespace syncline::armci {

class LocalSums {
  public:
    // Collective.
    LocalSums();
    bool serves(const NumberType& type) const { return !locks_.empty() && !type.is_integer; }
    // Adds the row, which is mapped here; `address` is the address of its first byte at the process.
    void add(int process, syncline_address_t address, const Row& row, const NumberType& type, const void* scale);

  private:
    static constexpr uint64_t part_bytes = 16 << 10;
    static constexpr uint64_t parts = 64;
    struct alignas(64) Lock {
        uint64_t holder;
    };

    void acquire(int process, Lock* lock);

    std::vector<Lock*> locks_;  // for each process; empty if the job has several nodes
    syncline_address_t address_ = 0;
};

}  // namespace syncline::armci
