// SPDX-License-Identifier: BSD-3-Clause
#include "testbed/netlink/offloads.h"

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "base/failure.h"
#include "base/unique_fd.h"

namespace syncline::testbed {
namespace {

struct Offload {
    uint32_t command;
    uint32_t value;
    const char* name;  // as `ethtool -K` calls it
};

constexpr Offload node_offloads[] = {
    {ETHTOOL_STXCSUM, 0, "tx"},
    {ETHTOOL_STSO, 0, "tso"},
    {ETHTOOL_SGRO, 1, "gro"},
};

}  // namespace

void set_offloads(const std::string& interface) {
    const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket) {
        fail_errno(SYNCLINE_ERR_SYSTEM, "creating a socket to set the offloads of {} failed", interface);
    }
    for (const Offload& offload : node_offloads) {
        ethtool_value value{offload.command, offload.value};
        ifreq request{};
        std::copy_n(interface.c_str(), std::min(interface.size(), sizeof request.ifr_name - 1), request.ifr_name);
        request.ifr_data = reinterpret_cast<char*>(&value);
        if (::ioctl(socket.get(), SIOCETHTOOL, &request) != 0) {
            fail_errno(SYNCLINE_ERR_SYSTEM, "setting the offload '{}' of {} to {} with SIOCETHTOOL failed",
                       offload.name, interface, offload.value);
        }
    }
}

}  // namespace syncline::testbed
