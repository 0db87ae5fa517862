// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/netlink/links.h"

#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/failure.h"
#include "testbed/netlink/link_requests.h"
#include "testbed/netlink/offloads.h"
#include "testbed/netlink/rtnetlink.h"

namespace syncline::testbed {
namespace {

constexpr int address_wait_ms_max = 5000;
constexpr uint8_t prefix4_bits = 24;
constexpr uint8_t prefix6_bits = 64;

// Each node's interface has an index of its own, although it is alone in its namespace, because NICs of one job that
// share a program tell their nodes apart by it. The kernel takes an index for one end of a pair only if the other end
// gets one, too. It assigns indices below this one to interfaces of its own.
constexpr int first_interface_index = 1000;

NetlinkRequest pair_request(const Node& node, size_t port) {
    ifinfomsg chosen{};
    chosen.ifi_index = first_interface_index + static_cast<int>(port);
    NetlinkRequest request(RTM_NEWLINK, create_flags, chosen,
                           fmt::format("making the veth pair {} (the kernel needs CONFIG_VETH)", port_name(port)));
    request.add_text(IFLA_IFNAME, port_name(port)).add_value(IFLA_MTU, static_cast<uint32_t>(node.mtu));
    const size_t info = request.begin(IFLA_LINKINFO);
    request.add_text(IFLA_INFO_KIND, "veth");
    const size_t data = request.begin(IFLA_INFO_DATA);
    const size_t peer = request.begin(VETH_INFO_PEER);
    request.append(&chosen, sizeof chosen);
    request.add_text(IFLA_IFNAME, node.interface)
        .add_value(IFLA_MTU, static_cast<uint32_t>(node.mtu))
        .add_value(IFLA_ADDRESS, node.mac)
        .add_value(IFLA_NET_NS_FD, static_cast<uint32_t>(node.netns.get()));
    request.end(peer);
    request.end(data);
    request.end(info);
    return request;
}

in_addr binary4(const std::string& text) {
    in_addr address{};
    ::inet_pton(AF_INET, text.c_str(), &address);
    return address;
}

in6_addr binary6(const std::string& text) {
    in6_addr address{};
    ::inet_pton(AF_INET6, text.c_str(), &address);
    return address;
}

NetlinkRequest address4_request(const Node& node, uint32_t index) {
    ifaddrmsg body{};
    body.ifa_family = AF_INET;
    body.ifa_prefixlen = prefix4_bits;
    body.ifa_index = index;
    in_addr address = binary4(node.address4);
    NetlinkRequest request(RTM_NEWADDR, create_flags, body, fmt::format("giving a node the address {}", node.address4));
    request.add_value(IFA_LOCAL, address).add_value(IFA_ADDRESS, address);
    address.s_addr |= htonl(0xFFFFFFFFu >> prefix4_bits);
    return request.add_value(IFA_BROADCAST, address);
}

NetlinkRequest address6_request(const Node& node, uint32_t index) {
    ifaddrmsg body{};
    body.ifa_family = AF_INET6;
    body.ifa_prefixlen = prefix6_bits;
    body.ifa_index = index;
    body.ifa_flags = IFA_F_NODAD | IFA_F_PERMANENT;  // usable at once: there is no other host to ask
    NetlinkRequest request(RTM_NEWADDR, create_flags, body, fmt::format("giving a node the address {}", node.address6));
    return request.add_value(IFA_LOCAL, binary6(node.address6));
}

template <typename Address>
NetlinkRequest neighbour_request(int family, const Address& address, const std::string& text, const Node& node,
                                 uint32_t index) {
    ndmsg body{};
    body.ndm_family = static_cast<uint8_t>(family);
    body.ndm_ifindex = static_cast<int>(index);
    body.ndm_state = NUD_PERMANENT;
    NetlinkRequest request(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, body,
                           fmt::format("adding the neighbour {}", text));
    return request.add_value(NDA_DST, address).add_value(NDA_LLADDR, node.mac);
}

// Returns whether the kernel delivers datagrams for the node's IPv6 address: the local route comes last.
bool is_local(Rtnetlink& netlink, const Node& node) {
    rtmsg body{};
    body.rtm_family = AF_INET6;
    body.rtm_dst_len = 128;
    NetlinkRequest request(RTM_GETROUTE, 0, body, fmt::format("asking for the route to {}", node.address6));
    request.add_value(RTA_DST, binary6(node.address6));
    const std::vector<char> answer = netlink.ask(request);
    std::memcpy(&body, answer.data(), std::min(sizeof body, answer.size()));
    return body.rtm_type == RTN_LOCAL;
}

}  // namespace

std::string port_name(size_t port) {
    return fmt::format("sw{}", port);
}

void make_pairs(const std::vector<Node>& nodes) {
    std::vector<NetlinkRequest> requests;
    for (size_t port = 0; port < nodes.size(); port++) {
        requests.push_back(pair_request(nodes[port], port));
    }
    Rtnetlink().execute(requests);
}

void start_ports(size_t ports) {
    std::vector<NetlinkRequest> requests;
    for (size_t port = 0; port < ports; port++) {
        requests.push_back(quiet_request(port_name(port)));
        requests.push_back(up_request(port_name(port)));
    }
    Rtnetlink().execute(requests);
    for (size_t port = 0; port < ports; port++) {
        set_offloads(port_name(port));
    }
}

void start_node(const std::vector<Node>& nodes, size_t self) {
    const Node& own = nodes[self];
    const uint32_t index = index_of(own.interface);
    Rtnetlink netlink;
    std::vector<NetlinkRequest> links{up_request("lo"), quiet_request(own.interface), up_request(own.interface)};
    netlink.execute(links);
    set_offloads(own.interface);
    std::vector<NetlinkRequest> requests{address4_request(own, index), address6_request(own, index)};
    for (size_t other = 0; other < nodes.size(); other++) {
        if (other != self) {
            const Node& node = nodes[other];
            requests.push_back(neighbour_request(AF_INET, binary4(node.address4), node.address4, node, index));
            requests.push_back(neighbour_request(AF_INET6, binary6(node.address6), node.address6, node, index));
        }
    }
    netlink.execute(requests);
}

void await_node(const Node& node) {
    Rtnetlink netlink;
    for (int waited_ms = 0; waited_ms < address_wait_ms_max; waited_ms++) {
        if (is_local(netlink, node)) {
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    fail(SYNCLINE_ERR_SYSTEM, "the address {} did not come into use within {} ms", node.address6, address_wait_ms_max);
}

}  // namespace syncline::testbed
