// SPDX-License-Identifier: BSD-3-Clause
// The work of a node's daemon for the packets of one job: its socket, its agent if the NIC itself executes nothing, and
// what it does for processes that compute while their requests and barriers are under way. A job of one node has none
// of this.
#pragma once

#include <memory>
#include <vector>

#include "base/unique_fd.h"
#include "daemon/node_memory.h"
#include "daemon/packet/agent.h"
#include "daemon/packet/barrier_timer.h"
#include "daemon/packet/neighbours.h"
#include "daemon/packet/retransmitter.h"
#include "daemon/targets/node_target.h"

namespace syncline {

class NodePackets {
  public:
    // All arguments outlive the object. Throws Failure.
    NodePackets(const Job& job, NodeTarget* target, NodeMemory::Share* memory, const Trace* trace);
    NodePackets(const NodePackets&) = delete;
    NodePackets& operator=(const NodePackets&) = delete;

    // Call it every now and then; returns the work done.
    int do_work(uint64_t now);
    Neighbours& neighbours() { return neighbours_; }
    Retransmitter& retransmitter() { return retransmitter_; }
    const BarrierTimer& barrier_timer() const { return barrier_timer_; }
    // NULL: the NIC executes.
    UdpAgent* agent() { return agent_.get(); }

  private:
    static void emit(void* packets, uint32_t node, const uint8_t* packet, uint32_t length);
    void add_rows();

    const Job& job_;
    NodeTarget* const target_;
    NodeMemory::Share* const memory_;
    bool rows_refused_ = false;  // for lack of memory; the job goes on among PEs that know each other
    UniqueFd socket_;            // at the job's UDP port
    Retransmitter retransmitter_;
    BarrierTimer barrier_timer_;
    Neighbours neighbours_;
    std::unique_ptr<UdpAgent> agent_;
};

}  // namespace syncline
