// SPDX-License-Identifier: BSD-3-Clause
// A job as the launcher decides it, the daemons run it and every PE learns it: job_description.h carries it over the
// daemon's UNIX socket.
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

// How the host agent waits for requests (000, section V.A).
enum class AgentMode : uint32_t { kPoll = 0, kSpinBlock = 1, kBlock = 2 };

// Seeded faults of the fault wrapper, each a rate between 0 and 1.
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

    fw_config config = {};  // of the node that this copy is for
    uint64_t token = 0;     // what a PE must show to attach
    uint64_t heap_bytes = 0;
    TransportKind transport = TransportKind::kShm;
    AgentMode agent_mode = AgentMode::kBlock;
    int32_t agent_cpu = -1;  // pin the agent there, or -1
    uint32_t peer_timeout_ms = 5000;
    uint32_t owner_uid = 0;   // PEs attach as this user
    char interface[16] = {};  // xdp: what to attach to
    FaultRates faults;
    uint32_t shared_cpus = 0;  // of the one machine that all nodes are parts of; 0: each is a machine of its own
    uint32_t memory_mib = 0;   // that this node's segments and tables may take; 0: only the daemon's own limits hold
    uint32_t held_by_pes = 0;  // 1: the job ends with its PEs on this node, not with the connection that made it
    uint32_t unused = 0;       // to a multiple of 8 bytes
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

inline uint64_t slots_bytes(const fw_config& config) {
    return uint64_t{config.ranks} * config.window * sizeof(fw_slot);
}

// Bytes that one BPF array of completions, or its memfd twin, holds for one port.
inline uint64_t completions_bytes(const fw_config& config) {
    return uint64_t{config.nodes} * config.window * fw_completion_bytes(config.packet_max);
}

inline fw_completion* completion_at(fw_completion* first, const fw_config& config, uint64_t index) {
    return reinterpret_cast<fw_completion*>(reinterpret_cast<uint8_t*>(first) +
                                            index * fw_completion_bytes(config.packet_max));
}

// The longest packet that a link of that MTU carries, with its UDP and IPv6 headers. Below SLW_PACKET_LEAST: none.
constexpr uint32_t packet_max_of(uint32_t mtu) {
    return std::min<uint32_t>(mtu < 48 ? 0 : (mtu - 48) & ~7u, SLW_PACKET_MAX);
}

// In front of a port's request images; written by the process alone.
struct alignas(64) RequestsHeader {
    uint32_t outstanding;  // packets out; lets the daemon's timer skip an idle port
    uint32_t reserved;
    uint64_t retransmitted;  // packets that the process itself sent again
    uint64_t bytes;          // of its requests, each as long as its packet or its reply, whichever is longer
    fw_counters counters;    // of the replies that the process takes in itself (udp, shm's packet path)
};

// One BPF array, or its memfd twin: the header has an element of its own.
inline uint64_t requests_bytes(const fw_config& config) {
    return (1 + uint64_t{config.nodes} * config.window) * fw_image_bytes(config.packet_max);
}
static_assert(sizeof(RequestsHeader) <= SLW_PACKET_LEAST, "an element holds it");

// Image `index` of those behind the header: slot index % window of the connection to node index / window.
template <typename Header>
auto* image_at(Header* header, const fw_config& config, uint64_t index) {
    using Byte = std::conditional_t<std::is_const_v<Header>, const uint8_t, uint8_t>;
    using Image = std::conditional_t<std::is_const_v<Header>, const fw_image, fw_image>;
    return reinterpret_cast<Image*>(reinterpret_cast<Byte*>(header) + (index + 1) * fw_image_bytes(config.packet_max));
}

// The bytes that a node's heaps and tables take before anything is registered.
inline uint64_t initial_bytes(const JobSpec& spec) {
    const fw_config& config = spec.config;
    return slots_bytes(config) + config.ports * (spec.heap_bytes + requests_bytes(config) + completions_bytes(config));
}

}  // namespace syncline
