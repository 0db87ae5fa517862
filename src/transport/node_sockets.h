// SPDX-License-Identifier: BSD-3-Clause
// One connected UDP socket per node, as the daemon hands them out: what udp and xdp send with.
#pragma once

#include <cstdint>
#include <vector>

#include "base/unique_fd.h"

namespace syncline {

class NodeSockets {
  public:
    explicit NodeSockets(std::vector<UniqueFd> sockets) : sockets_(std::move(sockets)) {}

    // As Transport::send().
    int send(uint32_t node, const uint8_t* packet, uint32_t length, uint32_t pad_to) const;

    uint32_t size() const { return static_cast<uint32_t>(sockets_.size()); }
    int fd(uint32_t node) const { return sockets_[node].get(); }

  private:
    std::vector<UniqueFd> sockets_;
};

}  // namespace syncline
