// SPDX-License-Identifier: BSD-3-Clause
// The memory that a job over xdp takes of a node, without heaps and the memory that its PEs register.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/tables.h"

namespace syncline {

struct MemoryUse {
    const char* what;
    uint64_t bytes;
};

// Returns the configuration of a node that has an equal share of the ranks, rounded up. `packet_max`: as in fw_config.
// Throws Failure if there can be no such job.
fw_config config_of_node(uint32_t ranks, uint32_t nodes, uint32_t packet_max);

// Returns the tables that the NIC, the daemon and the PEs share, once `sources` ranks have sent packets to this node.
std::vector<MemoryUse> table_memory(const fw_config& config, uint32_t sources);
// Returns each process's own memory, once each PE has sent to `partners` nodes.
std::vector<MemoryUse> process_memory(const fw_config& config, uint32_t partners);

uint64_t sum_of(const std::vector<MemoryUse>& uses);

}  // namespace syncline
