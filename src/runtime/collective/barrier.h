// SPDX-License-Identifier: BSD-3-Clause
// A barrier over some PEs, as its users see it. There are two implementations: the NICs' barrier (nic_barrier.h), and a
// barrier of signals between the PEs (signal_barrier.h), which needs nothing of a NIC but stores.
//
// Guarantee: a round is over once all members have started it. A member then sees what the other members had written to
// memory of this node before they started; operations on other nodes are complete only after a quiet.
// Threads: one at a time. Statuses other than OK come with a message in last_sentence().
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/collective/barrier_history.h"
#include "runtime/collective/reduction.h"
#include "runtime/endpoint/endpoint.h"

namespace syncline {

class Barrier {
  public:
    struct Options {
        int algorithm = SYNCLINE_BARRIER_AUTO;
        uint32_t dimension = 0;  // of the tree; 0: chosen by the latency model
        bool host = false;       // the PEs run the barrier, and NICs only record
    };

    Barrier() = default;
    virtual ~Barrier() = default;
    Barrier(const Barrier&) = delete;
    Barrier& operator=(const Barrier&) = delete;

    // Tells the other members that this PE has come, with a value, and returns. All members combine in the same way.
    // Returns OK, _INVALID (a round is running), _UNSUPPORTED (this barrier cannot combine in this way), _PEER or
    // _NODE.
    virtual int start(Reduction reduction, uint64_t value) = 0;
    // Sets *done to 1 if no round is running any more.
    virtual int test(int* done) = 0;
    // Waits for the end of the round. Returns OK, _PEER or _NODE.
    virtual int wait() = 0;
    // Returns the combined value of the last complete round.
    virtual uint64_t result() const = 0;
    // Waits until all members have called it. No word of the barrier is in use here afterwards, also after an error.
    virtual int close() = 0;
    virtual bool is_running() const = 0;

    // One round without a value.
    int pass() {
        const int status = start(Reduction::kNone, 0);
        return status == SYNCLINE_OK ? wait() : status;
    }
};

// Opens barrier `number` over these PEs, in this order; all of them call it with equal arguments. The NICs run the
// barrier if they can reach all members and the options do not ask for signals, otherwise the members do. Returns when
// this PE may start the barrier. `history` is the PE's, for all its barriers, and outlives them. Throws Failure.
std::unique_ptr<Barrier> open_barrier(Endpoint* endpoint, BarrierHistory* history, uint32_t number,
                                      std::vector<uint32_t> ranks, const Barrier::Options& options);

}  // namespace syncline
