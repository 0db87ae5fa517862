// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/netlink/link_requests.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include "base/failure.h"

namespace syncline::testbed {

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

uint32_t index_of(const std::string& interface) {
    const unsigned index = ::if_nametoindex(interface.c_str());
    if (index == 0) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "finding the interface {} failed", interface);
    }
    return index;
}

}  // namespace syncline::testbed
