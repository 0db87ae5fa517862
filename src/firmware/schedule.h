// SPDX-License-Identifier: BSD-3-Clause
// Schedules of barriers: which messages end a phase at a node, and which it sends when it enters one (Buntinas 2001,
// section 5.1). The host draws them up, because it is quicker than the NIC and the NIC then needs no list of nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/tables.h"

namespace syncline {

// Draws up a pairwise exchange: ceil(log2 n) phases. If n is a power of two, each phase is an exchange between two
// nodes; otherwise the messages of a phase go round (dissemination), which would count a value more than once: see
// can_exchange().
void draw_exchange(fw_barrier* barrier, const std::vector<uint16_t>& nodes, uint32_t self);

// Draws up a gather-broadcast over a tree in which each node has up to `dimension` children, 1 to FW_BARRIER_FANOUT:
// node i of `nodes` has children dimension * i + 1 and so on.
void draw_tree(fw_barrier* barrier, const std::vector<uint16_t>& nodes, uint32_t self, uint32_t dimension);

// Returns whether pairwise exchange among that many nodes can combine values in this way.
bool can_exchange(uint32_t nodes, fw_combine how);

}  // namespace syncline
