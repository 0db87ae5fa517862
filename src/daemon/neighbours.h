// SPDX-License-Identifier: BSD-3-Clause
// Whether replies of other nodes' NICs arrive here. A NIC answers a greeting by itself, in the frame that the greeting
// came in, as it does a request; so that answer's way is a reply's, and its arrival proves the way.
//
// A job may have thousands of nodes: each one asks those that are 1, 2, 4 and so on nodes further, and all are asked by
// some.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/executors/node_nic.h"
#include "daemon/sending_nic.h"

namespace syncline {

class Neighbours {
  public:
    // As SendingNic.
    Neighbours(const Job& job, NodeNic* nic, SendingNic::Emit emit, void* context);

    // Those from which no answer has come. Sends each of them a greeting, so this is to be called again.
    std::vector<uint32_t> greet();

  private:
    const Job& job_;
    NodeNic* const nic_;
    SendingNic sender_;
};

}  // namespace syncline
