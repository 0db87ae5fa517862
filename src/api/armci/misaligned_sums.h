// SPDX-License-Identifier: BSD-3-Clause
// Sums of numbers whose address at the target is no multiple of their size. Neither the firmware nor an atomic
// instruction adds these, so the caller gets them, adds, and puts the sums back, all under the target's lock.
//
// Guarantee: such sums of all processes lose nothing among each other, wherever the processes are. The bytes beside the
// numbers are not written. Against every other operation on the same bytes nothing is promised, as a put has it.
//
// Locks are queueing locks of the library, in the symmetric heap of the first processes. Processes share them where the
// job has many. A lock is held for gets and puts alone, which need no other process's help.
#pragma once

#include <vector>

#include "api/armci/batch.h"
#include "api/armci/numbers.h"
#include "syncline.h"

namespace syncline::armci {

class MisalignedSums {
  public:
    // Collective.
    explicit MisalignedSums(int processes);
    // Adds the batch's rows, none of which has a byte of another one at the target. It is complete there on return.
    void add(int process, const Batch& batch, const NumberType& type, const void* scale);

  private:
    static constexpr int locks_max = 64;

    std::vector<syncline_lock_t*> locks_;
    std::vector<uint8_t> numbers_;
};

}  // namespace syncline::armci
