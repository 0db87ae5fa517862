// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/node_offer.h"

#include <ifaddrs.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/failure.h"
#include "daemon/addresses.h"
#include "daemon/targets/xdp_dispatcher.h"
#include "job/job.h"

namespace syncline {
namespace {

constexpr const char* loopback = "lo";

// The kernel lists routes with the interface in the first column and the destination in the second.
std::string default_interface() {
    std::ifstream routes("/proc/net/route");
    std::string line;
    std::getline(routes, line);  // the names of the columns
    while (std::getline(routes, line)) {
        std::istringstream fields(line);
        std::string interface;
        std::string destination;
        if (fields >> interface >> destination && destination == "00000000") {
            return interface;
        }
    }
    return loopback;
}

template <typename Address>
NodeAddress copy_of(AddressKind kind, const Address& address) {
    return NodeAddress(kind, std::span(reinterpret_cast<const uint8_t*>(&address), sizeof(address)));
}

// Returns an address that others can reach; kNone: it is not of that kind.
NodeAddress read_address(const sockaddr* address, AddressKind kind) {
    if (kind == AddressKind::kIp4 && address->sa_family == AF_INET) {
        return copy_of(kind, reinterpret_cast<const sockaddr_in*>(address)->sin_addr);
    }
    if (kind == AddressKind::kIp6 && address->sa_family == AF_INET6) {
        const in6_addr& found = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
        return IN6_IS_ADDR_LINKLOCAL(&found) ? NodeAddress() : copy_of(kind, found);
    }
    return {};
}

// Returns an IPv4 address if the interface has one, else an IPv6 address, else none.
NodeAddress find_address(const std::string& interface) {
    ifaddrs* list = nullptr;
    NodeAddress found;
    if (::getifaddrs(&list) != 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "the kernel does not list this node's addresses");
    }
    for (const AddressKind kind : {AddressKind::kIp4, AddressKind::kIp6}) {
        for (const ifaddrs* entry = list; entry != nullptr && found.kind() == AddressKind::kNone;
             entry = entry->ifa_next) {
            if (entry->ifa_addr != nullptr && entry->ifa_name == interface) {
                found = read_address(entry->ifa_addr, kind);
            }
        }
    }
    ::freeifaddrs(list);
    return found;
}

struct Chosen {
    std::string interface;
    NodeAddress address;
};

Chosen choose(const std::vector<std::string>& interfaces) {
    for (const std::string& wanted : interfaces) {
        const std::string interface = wanted == default_route ? default_interface() : wanted;
        if (const NodeAddress address = find_address(interface); address.kind() != AddressKind::kNone) {
            return {interface, address};
        }
    }
    fail(SYNCLINE_ERR_NOT_FOUND, "this node's interface '{}' has no IP address; the daemon's --interface names others",
         fmt::join(interfaces, "', '"));
}

// Root in a container, or under a service manager, need not have these capabilities.
bool may_attach_programs() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("CapEff:")) {
            const uint64_t held = std::strtoull(line.c_str() + sizeof("CapEff:"), nullptr, 16);
            const auto has = [held](unsigned capability) { return (held >> capability & 1) != 0; };
            return has(CAP_NET_ADMIN) && (has(CAP_SYS_ADMIN) || (has(CAP_BPF) && has(CAP_PERFMON)));
        }
    }
    return ::geteuid() == 0;
}

// Returns why a job cannot go over xdp here; "" if it can.
std::string why_not_xdp(const std::string& interface) {
    if (interface == loopback) {
        return "no interface has the default route, and loopback takes no NIC program: name one with --interface";
    }
    return may_attach_programs() ? XdpDispatcher::why_not_on(interface)
                                 : "its daemon lacks CAP_BPF, CAP_NET_ADMIN or CAP_PERFMON";
}

constexpr uint32_t bit(TransportKind kind) {
    return 1u << static_cast<uint32_t>(kind);
}

}  // namespace

NodeAddress offered_address(const std::vector<std::string>& interfaces) {
    return choose(interfaces).address;
}

std::string interface_with_xdp(const std::vector<std::string>& interfaces) {
    const std::string used = choose(interfaces).interface;
    return why_not_xdp(used).empty() ? used : "";
}

Offer make_offer(const std::vector<std::string>& interfaces, const UdpPorts& ports) {
    const auto [used, address] = choose(interfaces);
    Offer offer = {};
    offer.address = address;
    offer.xdp_obstacle = why_not_xdp(used);
    offer.head.transports = bit(TransportKind::kShm) | bit(TransportKind::kUdp) |
                            (offer.xdp_obstacle.empty() ? bit(TransportKind::kXdp) : 0);
    offer.head.address_kind = offer.address.kind();
    offer.head.address_length = static_cast<uint8_t>(offer.address.bytes().size());
    offer.head.port_first = ports.first;
    for (uint32_t i = 0; i < service_ports && ports.holds(ports.first + i); i++) {
        try {
            make_udp_socket(offer.address, static_cast<uint16_t>(ports.first + i));
            offer.head.free_ports[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
        } catch (const Failure&) {
            // The port is taken.
        }
    }
    return offer;
}

}  // namespace syncline
