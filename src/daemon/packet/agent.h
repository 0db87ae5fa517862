// SPDX-License-Identifier: BSD-3-Clause
// The host agent of the udp transport: a thread of the daemon that receives requests, executes them with the native
// firmware and sends the replies. It waits in one of the three ways of Buntinas 2002, section V.A.
#pragma once

#include <atomic>
#include <thread>

#include "firmware/native.h"
#include "job/job.h"

namespace syncline {

class UdpAgent {
  public:
    // `socket` is bound to the node's address and the job's port; socket and target outlive the agent. Starts the
    // thread.
    UdpAgent(int socket, fw_target* target, AgentMode mode, int cpu);
    ~UdpAgent();
    UdpAgent(const UdpAgent&) = delete;
    UdpAgent& operator=(const UdpAgent&) = delete;

    // Takes effect with the next packet, or within 50 ms.
    void set_mode(AgentMode mode) { mode_.store(mode, std::memory_order_relaxed); }

    // Grows with every turn of the loop, at least every 50 ms. A thread that has seen it grow by two knows that the
    // agent no longer uses anything that was taken away before.
    uint64_t turns() const { return turns_.load(std::memory_order_acquire); }

    // Makes a blocked agent go round twice, at once.
    void nudge();

  private:
    void run();
    // Receives and executes one packet; returns 1, or 0 if there was none.
    int do_work(bool block);

    const int socket_;
    fw_target* const target_;
    std::atomic<AgentMode> mode_;
    std::atomic<bool> stop_{false};
    std::atomic<uint64_t> turns_{0};
    std::thread thread_;
};

}  // namespace syncline
