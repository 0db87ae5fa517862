// SPDX-License-Identifier: BSD-3-Clause
// The switch as a Linux bridge.
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/failure.h"
#include "testbed/netlink/link_requests.h"
#include "testbed/netlink/links.h"

namespace syncline::testbed {
namespace {

constexpr const char* bridge_name = "br0";
constexpr int up_wait_ms_max = 5000;

NetlinkRequest bridge_request() {
    NetlinkRequest request(RTM_NEWLINK, create_flags, ifinfomsg{},
                           "making the Linux bridge of the switch (the kernel needs CONFIG_BRIDGE)");
    request.add_text(IFLA_IFNAME, bridge_name);
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

uint8_t operational_state(Rtnetlink& netlink, const std::string& interface) {
    NetlinkRequest request(RTM_GETLINK, 0, ifinfomsg{}, fmt::format("asking for the state of {}", interface));
    request.add_text(IFLA_IFNAME, interface);
    const std::vector<char> answer = netlink.ask(request);
    constexpr size_t head_bytes = NLMSG_ALIGN(sizeof(ifinfomsg));
    auto left = static_cast<uint32_t>(answer.size() - head_bytes);
    const auto* attribute = reinterpret_cast<const rtattr*>(answer.data() + head_bytes);
    for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
        if (attribute->rta_type == IFLA_OPERSTATE) {
            return *static_cast<const uint8_t*>(RTA_DATA(attribute));
        }
    }
    return IF_OPER_UNKNOWN;
}

// The kernel's link watch notices the carrier of a port a moment after the far end was set up, and only then starts its
// queue and tells the bridge. Until then the state may be "unknown", which counts as "up" for IFF_RUNNING and the
// bridge, but frames are dropped.
void await_up(Rtnetlink& netlink, const std::string& interface) {
    for (int waited_ms = 0; waited_ms < up_wait_ms_max; waited_ms++) {
        if (operational_state(netlink, interface) == IF_OPER_UP) {
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    fail(SYNCLINE_ERR_SYSTEM, "the link of {} did not come up within {} ms", interface, up_wait_ms_max);
}

}  // namespace

void forbid_fragments() {
    for (const char* family : {"iptables", "ip6tables"}) {
        const std::string path = fmt::format("/proc/sys/net/bridge/bridge-nf-call-{}", family);
        std::error_code error;
        if (!std::filesystem::exists(path, error)) {
            continue;  // there is no bridge netfilter
        }
        std::ofstream file(path);
        file << '0' << std::flush;
        if (!file) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "writing 0 to {}, so that the bridge does not fragment, failed", path);
        }
    }
}

void make_bridge(size_t ports) {
    Rtnetlink netlink;
    NetlinkRequest bridge = bridge_request();
    netlink.execute(bridge);
    const uint32_t index = index_of(bridge_name);
    std::vector<NetlinkRequest> requests;
    for (size_t port = 0; port < ports; port++) {
        requests.push_back(enslave_request(port_name(port), index));
    }
    requests.push_back(quiet_request(bridge_name));
    requests.push_back(up_request(bridge_name));
    netlink.execute(requests);
    for (size_t port = 0; port < ports; port++) {
        await_up(netlink, port_name(port));
    }
    // A port is marked as up a moment before its queue starts and the bridge is told, all under the kernel's link lock,
    // which any request takes.
    NetlinkRequest again = up_request(bridge_name);
    netlink.execute(again);
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
