// SPDX-License-Identifier: BSD-3-Clause
// Which processes share a node, as PMI writes it: "(vector,(0,2,1),(0,1,4))" has blocks of a first node, how many nodes
// there are from it on, and how many ranks each of them has. Ranks go through the blocks from 0 on; where there are
// more, the blocks begin again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace syncline {

// The ranks of the node that `rank` is on, ascending. Throws Failure if the text is no such mapping.
std::vector<uint32_t> ranks_beside(const std::string& mapping, uint32_t rank, uint32_t ranks);

}  // namespace syncline
