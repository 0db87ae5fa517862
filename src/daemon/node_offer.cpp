// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/node_offer.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/failure.h"
#include "daemon/addresses.h"
#include "daemon/executors/xdp_dispatcher.h"
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

std::string chosen(const std::string& interface) {
    return interface.empty() ? default_interface() : interface;
}

template <typename Address>
NodeAddress copy_of(AddressKind kind, const Address& address) {
    return NodeAddress(kind, std::span(reinterpret_cast<const uint8_t*>(&address), sizeof(address)));
}

// An address that others reach; kNone: it is not of that kind.
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

// IPv4 if the interface has it, else IPv6.
NodeAddress address_of(const std::string& interface) {
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
    if (found.kind() == AddressKind::kNone) {
        fail(SYNCLINE_ERR_NOT_FOUND, "this node's interface '{}' has no IP address; name another with --interface",
             interface);
    }
    return found;
}

// Why a job cannot go over xdp here; "" if it can.
std::string why_not_xdp(const std::string& interface) {
    if (interface == loopback) {
        return "no interface has the default route, and loopback takes no NIC program: name one with --interface";
    }
    return ::geteuid() != 0 ? "its daemon does not run as root" : XdpDispatcher::why_not_on(interface);
}

constexpr uint32_t bit(TransportKind kind) {
    return 1u << static_cast<uint32_t>(kind);
}

}  // namespace

NodeAddress offered_address(const std::string& interface) {
    return address_of(chosen(interface));
}

Offer make_offer(const std::string& interface) {
    const std::string used = chosen(interface);
    Offer offer = {};
    offer.address = address_of(used);
    offer.xdp_obstacle = why_not_xdp(used);
    offer.head.transports = bit(TransportKind::kShm) | bit(TransportKind::kUdp) |
                            (offer.xdp_obstacle.empty() ? bit(TransportKind::kXdp) : 0);
    offer.head.address_kind = offer.address.kind();
    offer.head.address_length = static_cast<uint8_t>(offer.address.bytes().size());
    for (uint32_t port = 0; port < service_ports; port++) {
        try {
            make_udp_socket(offer.address, static_cast<uint16_t>(service_port_first + port));
            offer.head.free_ports[port / 8] |= static_cast<uint8_t>(1u << (port % 8));
        } catch (const Failure&) {
            // It is taken.
        }
    }
    return offer;
}

}  // namespace syncline
