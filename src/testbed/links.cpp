// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/links.h"

#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/failure.h"
#include "testbed/offloads.h"
#include "testbed/rtnetlink.h"

namespace syncline::testbed {
namespace {

constexpr const char* kBridge = "br0";
constexpr uint16_t kCreate = NLM_F_CREATE | NLM_F_EXCL;
constexpr int kRunningWaitMsMax = 5000;
constexpr uint8_t kPrefix4 = 24;
constexpr uint8_t kPrefix6 = 64;

uint32_t index_of(const std::string& interface) {
    const unsigned index = ::if_nametoindex(interface.c_str());
    if (index == 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "finding the interface {} failed", interface);
    }
    return index;
}

NetlinkRequest pair_request(const Node& node, size_t port, int mtu) {
    const ifinfomsg nothing{};
    NetlinkRequest request(
        RTM_NEWLINK, kCreate, nothing,
        fmt::format("making the veth pair {} (the kernel needs CONFIG_VETH)", port_name(port)));
    request.add_text(IFLA_IFNAME, port_name(port)).add_value(IFLA_MTU, static_cast<uint32_t>(mtu));
    const size_t info = request.begin(IFLA_LINKINFO);
    request.add_text(IFLA_INFO_KIND, "veth");
    const size_t data = request.begin(IFLA_INFO_DATA);
    const size_t peer = request.begin(VETH_INFO_PEER);
    request.append(&nothing, sizeof nothing);
    request.add_text(IFLA_IFNAME, node.interface)
        .add_value(IFLA_MTU, static_cast<uint32_t>(mtu))
        .add_value(IFLA_ADDRESS, node.mac)
        .add_value(IFLA_NET_NS_FD, static_cast<uint32_t>(node.netns.get()));
    request.end(peer);
    request.end(data);
    request.end(info);
    return request;
}

// No link-local address: the test bed gives out all addresses, and an idle interface stays silent.
NetlinkRequest quiet_request(const std::string& interface) {
    NetlinkRequest request(
        RTM_NEWLINK, 0, ifinfomsg{},
        fmt::format("turning off automatic IPv6 addresses of {} (the kernel needs IPv6)", interface));
    request.add_text(IFLA_IFNAME, interface);
    const size_t spec = request.begin(IFLA_AF_SPEC);
    const size_t inet6 = request.begin(AF_INET6);
    request.add_value(IFLA_INET6_ADDR_GEN_MODE, static_cast<uint8_t>(IN6_ADDR_GEN_MODE_NONE));
    request.end(inet6);
    request.end(spec);
    return request;
}

NetlinkRequest up_request(const std::string& interface) {
    ifinfomsg body{};
    body.ifi_flags = IFF_UP;
    body.ifi_change = IFF_UP;
    NetlinkRequest request(RTM_NEWLINK, 0, body, fmt::format("setting {} up", interface));
    return request.add_text(IFLA_IFNAME, interface);
}

NetlinkRequest bridge_request(int mtu) {
    NetlinkRequest request(RTM_NEWLINK, kCreate, ifinfomsg{},
                           "making the Linux bridge of the switch (the kernel needs CONFIG_BRIDGE)");
    request.add_text(IFLA_IFNAME, kBridge).add_value(IFLA_MTU, static_cast<uint32_t>(mtu));
    const size_t info = request.begin(IFLA_LINKINFO);
    request.add_text(IFLA_INFO_KIND, "bridge");
    const size_t data = request.begin(IFLA_INFO_DATA);
    request.add_value(IFLA_BR_MCAST_SNOOPING, uint8_t{0});  // no queries, multicast goes everywhere
    request.end(data);
    request.end(info);
    return request;
}

NetlinkRequest enslave_request(const std::string& interface, uint32_t master) {
    NetlinkRequest request(RTM_NEWLINK, 0, ifinfomsg{}, fmt::format("adding {} to the bridge", interface));
    return request.add_text(IFLA_IFNAME, interface).add_value(IFLA_MASTER, master);
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
    body.ifa_prefixlen = kPrefix4;
    body.ifa_index = index;
    in_addr address = binary4(node.address4);
    NetlinkRequest request(RTM_NEWADDR, kCreate, body,
                           fmt::format("giving a node the address {}", node.address4));
    request.add_value(IFA_LOCAL, address).add_value(IFA_ADDRESS, address);
    address.s_addr |= htonl(0xFFFFFFFFu >> kPrefix4);
    return request.add_value(IFA_BROADCAST, address);
}

NetlinkRequest address6_request(const Node& node, uint32_t index) {
    ifaddrmsg body{};
    body.ifa_family = AF_INET6;
    body.ifa_prefixlen = kPrefix6;
    body.ifa_index = index;
    body.ifa_flags = IFA_F_NODAD | IFA_F_PERMANENT;  // usable at once: nobody else is there to ask
    NetlinkRequest request(RTM_NEWADDR, kCreate, body,
                           fmt::format("giving a node the address {}", node.address6));
    return request.add_value(IFA_LOCAL, binary6(node.address6));
}

template <typename Address>
NetlinkRequest neighbour_request(int family, const Address& address, const std::string& text,
                                 const Node& node, uint32_t index) {
    ndmsg body{};
    body.ndm_family = static_cast<uint8_t>(family);
    body.ndm_ifindex = static_cast<int>(index);
    body.ndm_state = NUD_PERMANENT;
    NetlinkRequest request(RTM_NEWNEIGH, NLM_F_CREATE | NLM_F_REPLACE, body,
                           fmt::format("adding the neighbour {}", text));
    return request.add_value(NDA_DST, address).add_value(NDA_LLADDR, node.mac);
}

// The kernel's link watch notices the carrier of a port a moment after the far end was set up; the bridge
// does not forward to it before.
void await_running(const std::string& interface) {
    const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    std::copy_n(interface.c_str(), std::min<size_t>(interface.size(), IFNAMSIZ - 1), request.ifr_name);
    for (int waited_ms = 0; waited_ms < kRunningWaitMsMax; waited_ms++) {
        if (::ioctl(socket.get(), SIOCGIFFLAGS, &request) != 0) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "asking for the flags of {} failed", interface);
        }
        if ((request.ifr_flags & IFF_RUNNING) != 0) {
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    fail(SYNCLINE_ERR_SYSTEM, "the link of {} did not come up within {} ms", interface, kRunningWaitMsMax);
}

}  // namespace

std::string port_name(size_t port) {
    return fmt::format("sw{}", port);
}

void make_pairs(const std::vector<Node>& nodes, int mtu) {
    std::vector<NetlinkRequest> requests;
    for (size_t port = 0; port < nodes.size(); port++) {
        requests.push_back(pair_request(nodes[port], port, mtu));
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

void make_bridge(size_t ports, int mtu) {
    Rtnetlink netlink;
    NetlinkRequest bridge = bridge_request(mtu);
    netlink.execute(bridge);
    const uint32_t index = index_of(kBridge);
    std::vector<NetlinkRequest> requests;
    for (size_t port = 0; port < ports; port++) {
        requests.push_back(enslave_request(port_name(port), index));
    }
    requests.push_back(quiet_request(kBridge));
    requests.push_back(up_request(kBridge));
    netlink.execute(requests);
    for (size_t port = 0; port < ports; port++) {
        await_running(port_name(port));
    }
    // A port is marked as running a moment before the bridge is told, both under the kernel's link lock,
    // which any request takes.
    NetlinkRequest again = up_request(kBridge);
    netlink.execute(again);
}

void start_node(const std::vector<Node>& nodes, size_t self) {
    const Node& own = nodes[self];
    const uint32_t index = index_of(own.interface);
    Rtnetlink netlink;
    std::vector<NetlinkRequest> links{up_request("lo"), quiet_request(own.interface),
                                      up_request(own.interface)};
    netlink.execute(links);
    set_offloads(own.interface);
    std::vector<NetlinkRequest> requests{address4_request(own, index), address6_request(own, index)};
    for (size_t other = 0; other < nodes.size(); other++) {
        if (other != self) {
            const Node& node = nodes[other];
            requests.push_back(
                neighbour_request(AF_INET, binary4(node.address4), node.address4, node, index));
            requests.push_back(
                neighbour_request(AF_INET6, binary6(node.address6), node.address6, node, index));
        }
    }
    netlink.execute(requests);
}

uint64_t received_by_ports() {
    std::ifstream table("/proc/thread-self/net/dev");
    uint64_t sum = 0;
    for (std::string line; std::getline(table, line);) {
        std::istringstream words(line);
        std::string interface;
        uint64_t bytes = 0;
        uint64_t frames = 0;
        if (words >> interface >> bytes >> frames && interface.starts_with("sw")) {
            sum += frames;
        }
    }
    return sum;
}

}  // namespace syncline::testbed
