// SPDX-License-Identifier: BSD-3-Clause
// The memory that a job over xdp takes of a node, beside heaps and what its PEs register.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/tables.h"

namespace syncline {

struct MemoryUse {
    const char* what;
    uint64_t bytes;
};

// The configuration of a node that has its part of the ranks, as many as any. `packet_max`: as in fw_config. Throws
// Failure unless there can be such a job.
fw_config config_of_node(uint32_t ranks, uint32_t nodes, uint32_t packet_max);

// The tables that the NIC, the daemon and the PEs share, when `sources` ranks have sent something to this node.
std::vector<MemoryUse> table_memory(const fw_config& config, uint32_t sources);
// The memory of each process of its own, when each PE has sent to `partners` nodes.
std::vector<MemoryUse> process_memory(const fw_config& config, uint32_t partners);

uint64_t sum_of(const std::vector<MemoryUse>& uses);

}  // namespace syncline
