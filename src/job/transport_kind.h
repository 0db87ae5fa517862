// SPDX-License-Identifier: BSD-3-Clause
// The transports of a job, and the properties that the daemon, the launcher and the library need to know. All
// differences among them are a column here, or a class of src/fabric/packet and src/daemon/executors.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace syncline {

enum class TransportKind : uint32_t { kShm = 0, kUdp = 1, kXdp = 2 };

struct TransportProperties {
    const char* name;
    bool between_nodes;       // PEs of other nodes can be reached, through sockets that the daemon makes
    bool attaches_interface;  // the NIC is a program on a network interface
    bool has_agent;           // a thread of the daemon executes requests
    bool processes_execute;   // PEs execute requests themselves, in tables that they write
};

inline constexpr TransportProperties transport_properties[] = {
    {.name = "shm", .between_nodes = false, .attaches_interface = false, .has_agent = false, .processes_execute = true},
    {.name = "udp", .between_nodes = true, .attaches_interface = false, .has_agent = true, .processes_execute = false},
    {.name = "xdp", .between_nodes = true, .attaches_interface = true, .has_agent = false, .processes_execute = false},
};

constexpr bool is_transport(TransportKind kind) {
    return static_cast<uint32_t>(kind) < sizeof(transport_properties) / sizeof(transport_properties[0]);
}

// For a kind for which is_transport() is true.
constexpr const TransportProperties& properties_of(TransportKind kind) {
    return transport_properties[static_cast<uint32_t>(kind)];
}

constexpr const char* transport_name(TransportKind kind) {
    return properties_of(kind).name;
}

constexpr std::optional<TransportKind> transport_named(std::string_view name) {
    for (uint32_t kind = 0; is_transport(static_cast<TransportKind>(kind)); kind++) {
        if (name == transport_name(static_cast<TransportKind>(kind))) {
            return static_cast<TransportKind>(kind);
        }
    }
    return std::nullopt;
}

// Returns the transport of a job whose user has left the choice to Syncline. `leaves_node`: its PEs reach each other
// over the network. `has_xdp`: all its nodes have xdp.
constexpr TransportKind default_transport(bool leaves_node, bool has_xdp) {
    return !leaves_node ? TransportKind::kShm : has_xdp ? TransportKind::kXdp : TransportKind::kUdp;
}

}  // namespace syncline
