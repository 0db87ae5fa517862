// SPDX-License-Identifier: BSD-3-Clause
// Fence and barrier in one (Buntinas, Saify, Panda, Nieplocha: "Optimizing Synchronization Operations for Remote Memory
// Communication Systems", 2003, section 3.1). When it returns, all members have come, and every operation that a member
// had started before is complete at its target. There are three ways to fence, each in front of one round of a barrier:
//
//   acknowledged   Every request is answered, and its answer is its acknowledgement. A PE waits for those that are
//                  still missing: one round trip at most, nothing for a PE that has written nothing. (ARMCI over LAPI
//                  or VIA.) log2 n latencies of the barrier, and that one.
//   counts         No PE waits for acknowledgements. The PEs tell each other how much they have sent to whom by binary
//                  exchange, each waits until its node has executed that much, then comes the barrier: 2 log2 n
//                  latencies. (ARMCI_Barrier.)
//   linear         Each PE asks the nodes that it has written to since, in turn, for a confirmation: up to 2 (n - 1)
//                  latencies, and the barrier's. (ARMCI's original GA_Sync over GM.)
//
// counts: no counter exists for the requests that were sent or executed. The slots of the connections have both numbers
// already, in their sequences: at the sender in fabric/packet/connection, at the target in the firmware's table of
// return values, which processes can read. The runtime's own requests have a slot of their own and stay out of the
// sums, because they go on meanwhile.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/collective/barrier.h"

namespace syncline {

class FenceBarrier {
  public:
    explicit FenceBarrier(Endpoint* endpoint) : endpoint_(endpoint) {}

    // Runs one round of a barrier of these PEs. `algorithm`: enum syncline_fence_algorithm. If an earlier operation has
    // failed, this PE still takes part in the barrier, and the call returns the operation's error.
    int run(Barrier* barrier, std::span<const uint32_t> members, int algorithm);

  private:
    int fence(std::span<const uint32_t> members, int algorithm);
    int confirm_in_turn();
    bool may_repeat() const;
    int await_counts(std::span<const uint32_t> members);
    int gather_counts(std::vector<uint32_t>* counts);
    int halve_counts(std::vector<uint32_t>* counts, uint32_t power);
    int send(uint32_t to, uint32_t place, const std::vector<uint32_t>& counts);
    int receive(uint32_t from, uint32_t place, uint32_t length, std::vector<uint32_t>* counts);
    bool is_executed(uint32_t expected) const;

    Endpoint* const endpoint_;
    uint32_t round_ = 0;               // round of the counts; the same at all PEs
    std::vector<uint32_t> confirmed_;  // linear: the number of operations issued to each node at its last confirmation
};

}  // namespace syncline
