// SPDX-License-Identifier: BSD-3-Clause
// Sums of numbers whose address at the target is not a multiple of their size. Neither the firmware nor an atomic
// instruction adds these. So the caller gets them, adds, and puts the sums back, all under the target's lock.
//
// Guarantee: no such sum of any process is lost, wherever the processes are. Bytes beside the numbers are not written.
// Against other operations on the same bytes there is no guarantee, as for a put.
//
// The locks are queueing locks of the library, in the symmetric heap of the first processes. In a job of many processes
// several share a lock. A process holds a lock only for gets and puts, which need no other process's help.
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
    // Adds the batch's rows, which must not overlap at the target. The sums are complete there on return.
    void add(int process, const Batch& batch, const NumberType& type, const void* scale);

  private:
    static constexpr int locks_max = 64;

    std::vector<syncline_lock_t*> locks_;
    std::vector<uint8_t> numbers_;
};

}  // namespace syncline::armci
