// SPDX-License-Identifier: BSD-3-Clause
// A job: the launcher decides it, the daemons run it, and every PE gets it. protocol/job_description.h carries it over
// the daemon's UNIX socket.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/sizes.h"
#include "firmware/tables.h"
#include "job/address.h"
#include "job/rank_map.h"
#include "job/transport_kind.h"

namespace syncline {

// How the host agent waits for requests (Buntinas 2002, section V.A).
enum class AgentMode : uint32_t { kPoll = 0, kSpinBlock = 1, kBlock = 2 };

// Seeded faults of the fault wrapper, each a rate from 0 to 1.
struct FaultRates {
    double loss = 0;
    double duplicate = 0;
    double reorder = 0;
    double corrupt = 0;
    uint64_t seed = 1;

    bool any() const { return loss > 0 || duplicate > 0 || reorder > 0 || corrupt > 0; }
};

struct JobSpec {
    const TransportProperties& properties() const { return properties_of(transport); }

    fw_config config = {};  // for the node that gets this copy
    uint64_t token = 0;     // a PE must show it to attach
    uint64_t heap_bytes = 0;
    TransportKind transport = TransportKind::kShm;
    AgentMode agent_mode = AgentMode::kBlock;
    int32_t agent_cpu = -1;  // CPU to which the agent is pinned, or -1
    uint32_t peer_timeout_ms = 5000;
    uint32_t owner_uid = 0;   // PEs attach as this user
    char interface[16] = {};  // xdp: the interface to attach to
    uint32_t reserved = 0;    // replaces padding, which would reveal earlier contents of memory
    FaultRates faults;
    uint32_t shared_cpus = 0;  // of the one machine whose parts all nodes are; 0: each node is a machine of its own
    uint32_t memory_mib = 0;   // that this node's segments and tables may take; 0: only the daemon's own limits hold
    uint32_t held_by_pes = 0;  // 1: the job ends with its PEs on this node, not with the connection that made it
    uint32_t unused = 0;       // pads to a multiple of 8 bytes
};
static_assert(std::is_trivially_copyable_v<JobSpec>);

struct Job {
    JobSpec spec;
    RankMap map;
    std::vector<NodeAddress> addresses;  // by node
};

constexpr uint64_t segment_length_max = 1ull << 40;
constexpr uint64_t heap_alignment = 1ull << 30;            // of the address where a PE maps its own heap
constexpr uint64_t heap_reserved_bytes = SLW_BLOCK_BYTES;  // the runtime's own words at the start of every heap

constexpr uint64_t barriers_bytes = SLW_BARRIERS_MAX * sizeof(fw_barrier);

// Where requests are executed: the ranks of the job as sources of requests, and behind them, outside BPF, the rows of
// slots. All rows have their place; memory is taken when they are written.
inline uint64_t sources_bytes(const fw_config& config) {
    return round_up(uint64_t{config.ranks} * sizeof(fw_source), 64);
}
inline uint64_t rows_bytes(const fw_config& config, uint64_t rows) {
    return rows * config.window * sizeof(fw_slot);
}
inline uint64_t records_bytes(const fw_config& config) {
    return sources_bytes(config) + 64 + rows_bytes(config, config.ranks);
}
inline fw_rows* rows_at(fw_source* sources, const fw_config& config) {
    return reinterpret_cast<fw_rows*>(reinterpret_cast<uint8_t*>(sources) + sources_bytes(config));
}
inline fw_slot* slots_at(fw_source* sources, const fw_config& config) {
    return reinterpret_cast<fw_slot*>(reinterpret_cast<uint8_t*>(sources) + sources_bytes(config) + 64);
}

// Returns the number of a PE's buffers: see fw_buffers_of().
inline uint32_t buffers_of(const fw_config& config) {
    return fw_buffers_of(config.nodes, config.window);
}
// The table of the buffers of the slots of a node's PEs.
inline uint64_t directory_bytes(const fw_config& config) {
    return round_up(uint64_t{config.ports} * config.nodes * config.window * sizeof(uint16_t), sizeof(fw_buffers));
}

// Returns the size of one BPF array of completions, or of its memfd counterpart, for one port.
inline uint64_t completions_bytes(const fw_config& config) {
    return uint64_t{buffers_of(config)} * fw_completion_bytes(config.packet_max);
}

inline fw_completion* completion_at(fw_completion* first, const fw_config& config, uint64_t index) {
    return reinterpret_cast<fw_completion*>(reinterpret_cast<uint8_t*>(first) +
                                            index * fw_completion_bytes(config.packet_max));
}

// Returns how many packets from a PE to a node may be in flight, unless a user chooses. In a large job, where a PE
// sends to many nodes and many ranks send to a node, there are fewer.
constexpr uint32_t default_window(uint32_t nodes) {
    return nodes > 1024 ? 16 : 32;
}

// Returns the longest packet that a link of that MTU carries, with its UDP and IPv6 headers. Below SLW_PACKET_LEAST:
// none.
constexpr uint32_t packet_max_of(uint32_t mtu) {
    return std::min<uint32_t>(mtu < 48 ? 0 : (mtu - 48) & ~7u, SLW_PACKET_MAX);
}

// Stands before a port's request images; only the process writes it.
struct alignas(64) RequestsHeader {
    uint32_t outstanding;  // packets under way; lets the daemon's timer skip an idle port
    uint32_t reserved;
    uint64_t retransmitted;  // packets that the process itself has sent again
    uint64_t bytes;          // of its requests, each as long as its packet or its reply, whichever is longer
    fw_counters counters;    // counters of the replies that the process receives itself (udp, shm's packet path)
};

// Returns the size of one BPF array, or of its memfd counterpart: the header has an element of its own.
inline uint64_t requests_bytes(const fw_config& config) {
    return (1 + uint64_t{buffers_of(config)}) * fw_image_bytes(config.packet_max);
}
static_assert(sizeof(RequestsHeader) <= SLW_PACKET_LEAST, "an element holds it");

// Returns image `index` of those behind the header.
template <typename Header>
auto* image_at(Header* header, const fw_config& config, uint64_t index) {
    using Byte = std::conditional_t<std::is_const_v<Header>, const uint8_t, uint8_t>;
    using Image = std::conditional_t<std::is_const_v<Header>, const fw_image, fw_image>;
    return reinterpret_cast<Image*>(reinterpret_cast<Byte*>(header) + (index + 1) * fw_image_bytes(config.packet_max));
}

// The daemon adds rows while fewer than this many are left.
constexpr uint32_t rows_ahead = FW_CHUNK_ROWS / 2;

// Returns the rows with which a job begins. If no daemon's timer adds more, these are all rows.
inline uint32_t initial_rows(const JobSpec& spec) {
    return spec.properties().between_nodes ? std::min<uint32_t>(spec.config.ranks, FW_CHUNK_ROWS) : spec.config.ranks;
}

// Returns whether PEs of the job exchange packets: between nodes they do, and so do PEs of one node if faults are asked
// for, which strike packets. Other jobs have no tables for packets.
inline bool has_packets(const JobSpec& spec) {
    return spec.properties().between_nodes || spec.faults.any();
}

// Returns the bytes that a node's heaps and tables take before any registration.
inline uint64_t initial_bytes(const JobSpec& spec) {
    const fw_config& config = spec.config;
    const uint64_t heaps = config.ports * spec.heap_bytes;
    return !has_packets(spec)
               ? heaps
               : heaps + sources_bytes(config) + rows_bytes(config, initial_rows(spec)) + directory_bytes(config) +
                     config.ports * (requests_bytes(config) + completions_bytes(config));
}

}  // namespace syncline
