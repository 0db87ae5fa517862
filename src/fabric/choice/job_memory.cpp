// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/choice/job_memory.h"

#include <algorithm>

#include "base/failure.h"
#include "base/memory.h"
#include "fabric/packet/connection/connection.h"
#include "job/job.h"

namespace syncline {
namespace {

constexpr uint64_t page = 4096;
constexpr uint64_t map_bytes = 512;  // that the kernel needs beside a map's elements

// Returns the size of a BPF array that processes map: whole pages, and one more in front.
uint64_t mapped_array(uint64_t bytes) {
    return page + round_up(bytes, page);
}

uint64_t rows_memory(const fw_config& config, uint32_t sources) {
    const uint64_t ahead = std::min<uint64_t>(uint64_t{sources} + rows_ahead, config.ranks);
    const uint64_t rows = std::min<uint64_t>(round_up(ahead, FW_CHUNK_ROWS), config.ranks);
    return rows_bytes(config, rows) + (rows / FW_CHUNK_ROWS + 1) * map_bytes + FW_CHUNKS_OF_ROWS * sizeof(uint64_t);
}

// The ring on which a port's process waits: two pages of positions, and one of records.
constexpr uint64_t wake_ring = 4 * page;

}  // namespace

fw_config config_of_node(uint32_t ranks, uint32_t nodes, uint32_t packet_max) {
    if (nodes < 1 || nodes > SLW_NODES_MAX || ranks < nodes || ranks > SLW_RANKS_MAX) {
        fail(SYNCLINE_ERR_INVALID,
             "a job cannot have {} ranks on {} nodes: it needs 1 to {} nodes and at most {} ranks, at "
             "least one on each node",
             ranks, nodes, +SLW_NODES_MAX, +SLW_RANKS_MAX);
    }
    fw_config config = {};
    config.nodes = nodes;
    config.ranks = ranks;
    config.ports = (ranks + nodes - 1) / nodes;
    config.window = default_window(nodes);
    config.packet_max = packet_max;
    if (config.ports > SLW_PORTS_MAX) {
        fail(SYNCLINE_ERR_INVALID, "{} ranks on {} nodes are more than {} on a node", ranks, nodes, +SLW_PORTS_MAX);
    }
    return config;
}

std::vector<MemoryUse> table_memory(const fw_config& config, uint32_t sources) {
    constexpr uint64_t segments = SLW_PORTS_MAX * SLW_SEGMENTS_MAX;
    return {{"sources of requests", mapped_array(sources_bytes(config))},
            {"slots of those that have sent", rows_memory(config, sources)},
            {"directory of buffers", mapped_array(directory_bytes(config))},
            {"completions", config.ports * (map_bytes + mapped_array(completions_bytes(config)))},
            {"request images", config.ports * (map_bytes + mapped_array(requests_bytes(config)))},
            {"port words and wake rings", mapped_array(config.ports * sizeof(fw_port)) + config.ports * wake_ring},
            {"segment tables", segments * (2 * sizeof(fw_segment) + sizeof(uint64_t))},
            {"barriers", mapped_array(barriers_bytes)},
            {"other nodes' addresses", round_up(config.nodes * sizeof(fw_peer), page)}};
}

std::vector<MemoryUse> process_memory(const fw_config& config, uint32_t partners) {
    const uint64_t processes = config.ports + 1;  // with the daemon
    const uint64_t map = config.ranks * (2 * sizeof(uint16_t) + sizeof(uint16_t)) + config.nodes * sizeof(uint32_t);
    // A PE's connection and socket for the node, and the completion of its posts to it.
    const uint64_t of_node = sizeof(void*) + sizeof(int16_t) + sizeof(Completion);
    return {{"rank map and addresses, in each process", processes * (map + config.nodes * sizeof(NodeAddress))},
            {"ways to ranks and nodes, in each PE", config.ports * (config.ranks + config.nodes * of_node)},
            {"connections, of each PE", config.ports * uint64_t{partners} * sizeof(Connection)}};
}

uint64_t sum_of(const std::vector<MemoryUse>& uses) {
    uint64_t sum = 0;
    for (const MemoryUse& use : uses) {
        sum += use.bytes;
    }
    return sum;
}

}  // namespace syncline
