// SPDX-License-Identifier: BSD-3-Clause
// Which processes share a node, as PMI writes it. "(vector,(0,2,1),(0,1,4))" has blocks of a first node, the number of
// nodes from it on, and the number of ranks on each. Ranks go through the blocks from 0 on; if there are more ranks,
// the blocks begin again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace syncline {

// Returns the ranks of the node of `rank`, ascending. Throws Failure if the text is no such mapping.
std::vector<uint32_t> ranks_beside(const std::string& mapping, uint32_t rank, uint32_t ranks);

}  // namespace syncline
