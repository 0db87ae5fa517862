// SPDX-License-Identifier: BSD-3-Clause
// A barrier over some PEs of a job, which the NICs run; firmware/barrier.h has the protocol between nodes. This class
// opens and closes the barrier, gathers a node's members in the node's memory, waits, and asks for lost messages.
//
// The members of a node share one fw_barrier. Each member that starts an epoch first leaves its value in `contribution`
// and then adds itself to `gathered`. The member that makes `gathered` a multiple of their number is the last, and
// starts the node's part. No member can start the next epoch before this epoch is complete, so one counter is enough.
//
// Opening: the first member, the leader, draws a new instance number. It publishes the number, with a digest of the
// arguments that it was given (members, algorithm), in its words of that barrier number. The other members read these
// words until the digest equals theirs and the instance is a new one. The first member of each node then draws up the
// schedule for its whole node.
// Closing: every member adds one to a word of the leader's, exactly once as every atomic is, and waits until all have
// done so. By then all members have completed their last epoch, and no node needs an answer of this node any more.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/collective/reduction.h"
#include "runtime/process/endpoint.h"

namespace syncline {

// A member's words of one barrier number, in the runtime's part of its heap, as offsets behind RuntimeWords::barrier().
struct BarrierWords {
    static constexpr uint64_t announced = 0;  // at the leader: instance << 32 | digest; the leader writes it last
    static constexpr uint64_t base = 8;       // at the leader: the value of `closed` when this instance opened
    static constexpr uint64_t closed = 16;    // at the leader: how many members have closed, all instances together
    static constexpr uint64_t choice = 24;    // at the leader: algorithm << 32 | dimension, 0 for an exchange
    static constexpr uint64_t holders = 32;   // at PE 0: see barrier_numbers.h
};

class Barrier {
  public:
    struct Options {
        int algorithm = SYNCLINE_BARRIER_AUTO;
        uint32_t dimension = 0;  // of the tree; 0: chosen by the latency model
        bool host = false;       // the PEs run the barrier, and NICs only record
    };

    // Returns when this node takes part in the barrier. Throws Failure.
    Barrier(Endpoint* endpoint, uint32_t id, std::vector<uint32_t> ranks, const Options& options);
    Barrier(const Barrier&) = delete;
    Barrier& operator=(const Barrier&) = delete;

    // Returns OK, _INVALID (a round is running), _UNSUPPORTED (the NIC cannot combine in this way) or _PEER.
    int start(Reduction reduction, uint64_t value);
    int test(int* done);
    // Returns OK, _PEER or _NODE.
    int wait();
    // Returns the combined value of the last complete epoch.
    uint64_t result() const;
    // Waits until all members have called it. The node's part of the barrier is gone afterwards, also after an error.
    int close();

    const std::vector<uint32_t>& ranks() const { return ranks_; }
    bool is_running() const { return running_; }
    bool has_member(int rank) const {
        return rank >= 0 && std::find(ranks_.begin(), ranks_.end(), static_cast<uint32_t>(rank)) != ranks_.end();
    }

  private:
    void check_dimension();
    uint64_t choice();
    void adopt(uint64_t choice);
    void agree();
    void enter();
    bool draw_if_first();
    void draw();
    uint32_t digest() const;
    bool is_leader() const { return endpoint_->rank() == ranks_[0]; }
    uint64_t* own(uint64_t offset) const;
    uint64_t read_leader(uint64_t offset);

    bool over();
    bool is_complete() const;
    int finish();
    void look_after();
    void probe_missing();
    void probe_members_of(uint32_t node);
    bool is_gone(uint32_t rank);
    int await_closing();
    bool is_open() const;
    void break_it();
    int complain(int status) const;

    Endpoint* const endpoint_;
    const uint32_t id_;
    const std::vector<uint32_t> ranks_;
    Options options_;
    fw_barrier* const barrier_;
    std::vector<uint16_t> nodes_;  // the members' nodes, each once
    std::vector<uint32_t> ports_;  // the ports of this node's members, in order
    uint32_t self_ = 0;            // index of this node in nodes_
    uint32_t instance_ = 0;
    uint64_t base_ = 0;  // the leader's count of closed members when this instance opened
    uint32_t tests_ = 0;
    uint32_t probes_ = 0;
    uint32_t epoch_ = 0;
    bool running_ = false;
    uint64_t pull_interval_ns_ = 0;
    uint64_t next_pull_ns_ = 0;
    uint64_t next_probe_ns_ = 0;
};

}  // namespace syncline
