// SPDX-License-Identifier: BSD-3-Clause
#include "job/links/attach_point.h"

#include <linux/if_vlan.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/unique_fd.h"
#include "firmware/headers.h"
#include "job/links/ethtool.h"

namespace syncline {
namespace {

// Returns the interface below a VLAN's; "" if it is not a VLAN's, or if the one below is not in this network namespace.
std::string below(const std::string& interface) {
    const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    vlan_ioctl_args question = {};
    question.cmd = GET_VLAN_REALDEV_NAME_CMD;
    interface.copy(question.device1, sizeof(question.device1) - 1);
    if (::ioctl(socket.get(), SIOCGIFVLAN, &question) != 0) {
        return "";
    }
    const std::string found = question.u.device2;
    return ::if_nametoindex(found.c_str()) != 0 ? found : "";
}

bool takes_tags_out(const std::string& interface) {
    Ethtool ethtool(interface);
    return ethtool.has("rx-vlan-hw-parse").value_or(false) || ethtool.has("tx-vlan-hw-insert").value_or(false);
}

}  // namespace

std::string attach_point_of(const std::string& interface) {
    std::string lowest = interface;
    uint32_t tags = 0;
    for (std::string next = below(interface); !next.empty() && tags <= FW_VLANS_MAX; next = below(next)) {
        lowest = next;
        tags++;
    }
    return tags > FW_VLANS_MAX || (tags != 0 && takes_tags_out(lowest)) ? interface : lowest;
}

}  // namespace syncline
