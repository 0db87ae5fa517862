// SPDX-License-Identifier: BSD-3-Clause
// Whether replies of other nodes' NICs arrive here. A NIC answers a greeting by itself, in the greeting's frame, as it
// answers a request. So the answer takes the way of a reply, and its arrival proves that way.
//
// A job may have thousands of nodes: each node asks the nodes that are 1, 2, 4 and so on nodes further, so some node
// asks every node.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/packet/barrier_sender.h"
#include "daemon/targets/node_target.h"

namespace syncline {

class Neighbours {
  public:
    // As the constructor of BarrierSender.
    Neighbours(const Job& job, NodeTarget* target, BarrierSender::Emit emit, void* context);

    // Returns the nodes that have not answered yet, and sends each of them a greeting, so call it again.
    std::vector<uint32_t> greet();

  private:
    const Job& job_;
    NodeTarget* const target_;
    BarrierSender sender_;
};

}  // namespace syncline
