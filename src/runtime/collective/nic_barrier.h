// SPDX-License-Identifier: BSD-3-Clause
// A barrier over some PEs of a job, which the NICs run; firmware/barrier.h has the protocol between nodes. This class
// opens and closes the barrier, gathers a node's members in the node's memory, waits, and asks for lost messages.
//
// The members of a node share one fw_barrier. Each member that starts an epoch first leaves its value in `contribution`
// and then adds itself to `gathered`. The member that makes `gathered` a multiple of their number is the last, and
// starts the node's part. No member can start the next epoch before this epoch is complete, so one counter is enough.
//
// Opening: the members agree (barrier_agreement.h). The first member of each node then draws up the schedule for its
// whole node.
// Closing: once all members have closed, all have completed their last epoch, and no node needs an answer of this node
// any more.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/collective/barrier_agreement.h"

namespace syncline {

class NicBarrier final : public Barrier {
  public:
    // Returns when this node takes part in the barrier. Throws Failure.
    NicBarrier(Endpoint* endpoint, BarrierHistory* history, uint32_t id, std::vector<uint32_t> ranks,
               const Options& options);

    int start(Reduction reduction, uint64_t value) override;
    int test(int* done) override;
    int wait() override;
    uint64_t result() const override;
    // The node's part of the barrier is gone afterwards, also after an error.
    int close() override;
    bool is_running() const override { return running_; }

  private:
    void check_dimension();
    uint64_t choice();
    void adopt(uint64_t choice);
    void enter();
    bool draw_if_first();
    void check_schedule() const;
    void draw();

    bool over();
    bool is_complete() const;
    int finish();
    void look_after();
    void probe_missing();
    void probe_members_of(uint32_t node);
    bool is_open() const;
    void break_it();
    int complain(int status) const { return agreement_.complain(status); }

    Endpoint* const endpoint_;
    BarrierHistory* const history_;
    const uint32_t id_;
    const std::vector<uint32_t> ranks_;
    BarrierAgreement agreement_;
    Options options_;
    fw_barrier* const barrier_;
    std::vector<uint16_t> nodes_;  // the members' nodes, each once
    std::vector<uint32_t> ports_;  // the ports of this node's members, in order
    uint32_t self_ = 0;            // index of this node in nodes_
    uint32_t tests_ = 0;
    uint32_t probes_ = 0;
    uint32_t epoch_ = 0;
    bool running_ = false;
    uint64_t pull_interval_ns_ = 0;
    uint64_t next_pull_ns_ = 0;
    uint64_t next_probe_ns_ = 0;
};

}  // namespace syncline
