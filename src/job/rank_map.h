// SPDX-License-Identifier: BSD-3-Clause
// Where the PEs of a job are: each rank has a node and a port there, in any layout. Every look-up is one load.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"

namespace syncline {

class RankMap {
  public:
    RankMap() = default;  // a job without PEs
    // `ports`: the number of ports of each node. `ranks`: those of the first node by port, then those of the second,
    // and so on. Throws Failure unless each node has 1 to SLW_PORTS_MAX ports, and each rank from 0 on has exactly one
    // of them.
    RankMap(const std::vector<uint16_t>& ports, std::vector<uint16_t> ranks);

    // `how` is the value of --map-by. "block", or "slot" or "core" as Open MPI says it: the ranks of a node follow each
    // other. "cyclic", or "node": rank r is on node r modulo `nodes`. A list with commas, such as 0,1,0,2: the node of
    // each rank. Ports of a node are in the order of its ranks. Throws Failure, with the option's name in front.
    static RankMap lay_out(const std::string& how, uint32_t ranks, uint32_t nodes);

    uint32_t ranks() const { return static_cast<uint32_t>(places_.size()); }
    uint32_t nodes() const { return first_.empty() ? 0 : static_cast<uint32_t>(first_.size() - 1); }

    uint32_t node_of(uint32_t rank) const { return place_of(rank).node; }
    uint32_t port_of(uint32_t rank) const { return place_of(rank).port; }
    // Returns the ranks of a node, by port.
    std::span<const uint16_t> ranks_of(uint32_t node) const {
        return std::span(by_node_).subspan(first_[node], first_[node + 1] - first_[node]);
    }
    uint32_t rank_at(uint32_t node, uint32_t port) const {
        SYNCLINE_CHECK(port < ports_of(node), "port %u of %u", port, ports_of(node));
        return by_node_[first_[node] + port];
    }
    uint32_t ports_of(uint32_t node) const {
        SYNCLINE_CHECK(node < nodes(), "node %u of %u", node, nodes());
        return first_[node + 1] - first_[node];
    }

    // Returns the port of each rank that is on this node, and SLW_PORTS_MAX for the ranks of other nodes.
    std::vector<uint16_t> ports_seen_from(uint32_t node) const;

  private:
    struct Place {
        uint16_t node;
        uint16_t port;
    };

    Place place_of(uint32_t rank) const {
        SYNCLINE_CHECK(rank < places_.size(), "rank %u of %zu", rank, places_.size());
        return places_[rank];
    }
    static RankMap of(const std::vector<uint32_t>& node_of_rank, uint32_t nodes);

    std::vector<Place> places_;      // by rank
    std::vector<uint16_t> by_node_;  // ranks, by node and port
    std::vector<uint32_t> first_;    // position in by_node_ of each node's first rank, and the end
};

}  // namespace syncline
