// SPDX-License-Identifier: BSD-3-Clause
#include "daemon/addresses.h"

#include <ifaddrs.h>
#include <linux/udp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>

#include "base/failure.h"
#include "job/socket_address.h"

namespace syncline {

namespace {

int family_of(const NodeAddress& address) {
    return address.kind() == AddressKind::kIp4 ? AF_INET : address.kind() == AddressKind::kIp6 ? AF_INET6 : AF_UNSPEC;
}

}  // namespace

UniqueFd make_udp_socket(const NodeAddress& address, uint16_t port) {
    UniqueFd fd(::socket(family_of(address), SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!fd) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot create a UDP socket");
    }
    const int one = 1;
    const int room = 4 << 20;
    if (address.kind() == AddressKind::kIp4) {
        const int whole = IP_PMTUDISC_PROBE;
        ::setsockopt(fd.get(), SOL_SOCKET, SO_NO_CHECK, &one, sizeof(one));
        ::setsockopt(fd.get(), IPPROTO_IP, IP_MTU_DISCOVER, &whole, sizeof(whole));
    } else {
        const int whole = IPV6_PMTUDISC_PROBE;
        ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_MTU_DISCOVER, &whole, sizeof(whole));
        ::setsockopt(fd.get(), IPPROTO_UDP, UDP_NO_CHECK6_TX, &one, sizeof(one));
        ::setsockopt(fd.get(), IPPROTO_UDP, UDP_NO_CHECK6_RX, &one, sizeof(one));
    }
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
    ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    socklen_t length;
    const sockaddr_storage storage = socket_address(address, port, &length);
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&storage), length) != 0) {
        if (errno == EADDRINUSE) {
            fail(SYNCLINE_ERR_BUSY,
                 "UDP port {} of {} is taken by another program; choose another with --udp-port, or leave that out",
                 port, address.text());
        }
        fail_errno(SYNCLINE_ERR_SYSTEM, "cannot bind UDP port {} of {}", port, address.text());
    }
    return fd;
}

bool send_to_node(int socket, const Job& job, uint32_t node, const uint8_t* packet, size_t length) {
    socklen_t address_length;
    const sockaddr_storage to =
        socket_address(job.addresses[node], static_cast<uint16_t>(job.spec.config.udp_port), &address_length);
    return ::sendto(socket, packet, length, MSG_DONTWAIT | MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&to),
                    address_length) > 0;
}

uint32_t mtu_of(const std::string& interface) {
    const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request = {};
    interface.copy(request.ifr_name, IFNAMSIZ - 1);
    return ::ioctl(socket.get(), SIOCGIFMTU, &request) == 0 ? static_cast<uint32_t>(request.ifr_mtu) : 0;
}

std::string interface_of(const NodeAddress& address) {
    ifaddrs* list = nullptr;
    std::string found;
    if (::getifaddrs(&list) != 0) {
        return found;
    }
    for (const ifaddrs* entry = list; entry != nullptr && found.empty(); entry = entry->ifa_next) {
        if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != family_of(address)) {
            continue;
        }
        const void* const bytes =
            address.kind() == AddressKind::kIp4
                ? static_cast<const void*>(&reinterpret_cast<sockaddr_in*>(entry->ifa_addr)->sin_addr)
                : &reinterpret_cast<sockaddr_in6*>(entry->ifa_addr)->sin6_addr;
        const bool same = std::memcmp(bytes, address.bytes().data(), address.bytes().size()) == 0;
        if (same) {
            found = entry->ifa_name;
        }
    }
    ::freeifaddrs(list);
    return found;
}

uint32_t longest_packet_over(const std::string& interface) {
    const uint32_t mtu = mtu_of(interface);
    if (mtu != 0 && packet_max_of(mtu) < SLW_PACKET_LEAST) {
        fail(SYNCLINE_ERR_UNSUPPORTED,
             "interface '{}' has an MTU of {}, and jobs between nodes need {}, the least that IPv6 allows", interface,
             mtu, SLW_PACKET_LEAST + 48);
    }
    return std::clamp<uint32_t>(packet_max_of(mtu), SLW_PACKET_LEAST, SLW_PACKET_MAX);
}

}  // namespace syncline
