// SPDX-License-Identifier: BSD-3-Clause
#include "tools/interfaces.h"

#include <bpf/libbpf.h>
#include <linux/ethtool.h>
#include <linux/genetlink.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>

#include "base/unique_fd.h"

namespace syncline::tools {
namespace {

// The generic netlink family "netdev" (Linux 6.3) tells an interface's XDP features. Linux 6.1's headers lack its
// numbers, so they are spelled out here.
constexpr uint8_t netdev_cmd_dev_get = 1;
constexpr uint16_t netdev_a_dev_ifindex = 1;
constexpr uint16_t netdev_a_dev_xdp_features = 3;
constexpr uint64_t feature_basic = 1;  // DROP, PASS, TX, ABORTED

class GenericNetlink {
  public:
    GenericNetlink() : socket_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC)) {
        const timeval limit = {1, 0};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    }

    // Sends one request with one attribute. Returns the attributes of the answer, or nothing.
    std::optional<std::map<uint16_t, std::string>> ask(uint16_t family, uint8_t command, uint16_t attribute,
                                                       const void* value, uint16_t length) {
        alignas(nlmsghdr) char request[256] = {};
        auto* const header = reinterpret_cast<nlmsghdr*>(request);
        auto* const generic = static_cast<genlmsghdr*>(NLMSG_DATA(header));
        auto* const first = reinterpret_cast<nlattr*>(reinterpret_cast<char*>(generic) + GENL_HDRLEN);
        generic->cmd = command;
        generic->version = 1;
        first->nla_type = attribute;
        first->nla_len = static_cast<uint16_t>(NLA_HDRLEN + length);
        std::memcpy(reinterpret_cast<char*>(first) + NLA_HDRLEN, value, length);
        header->nlmsg_type = family;
        header->nlmsg_flags = NLM_F_REQUEST;
        header->nlmsg_len = static_cast<uint32_t>(NLMSG_LENGTH(GENL_HDRLEN) + NLA_ALIGN(first->nla_len));
        alignas(nlmsghdr) char answer[8192];
        if (::send(socket_.get(), request, header->nlmsg_len, 0) < 0) {
            return std::nullopt;
        }
        const ssize_t got = ::recv(socket_.get(), answer, sizeof(answer), 0);
        const auto* const reply = reinterpret_cast<const nlmsghdr*>(answer);
        if (got < static_cast<ssize_t>(NLMSG_LENGTH(GENL_HDRLEN)) || reply->nlmsg_type == NLMSG_ERROR) {
            return std::nullopt;
        }
        return parse(answer + NLMSG_LENGTH(GENL_HDRLEN), answer + got);
    }

  private:
    static std::map<uint16_t, std::string> parse(const char* at, const char* end) {
        std::map<uint16_t, std::string> attributes;
        while (end - at >= NLA_HDRLEN) {
            nlattr header;
            std::memcpy(&header, at, sizeof(header));
            if (header.nla_len < NLA_HDRLEN || header.nla_len > end - at) {
                break;
            }
            attributes[header.nla_type & NLA_TYPE_MASK] = std::string(at + NLA_HDRLEN, at + header.nla_len);
            at += std::min<std::ptrdiff_t>(NLA_ALIGN(header.nla_len), end - at);
        }
        return attributes;
    }

    UniqueFd socket_;
};

std::string xdp_of(GenericNetlink* netlink, uint16_t family, uint32_t index) {
    if (family == 0) {
        return "unknown until attached (Linux before 6.3 cannot be asked)";
    }
    const auto answer = netlink->ask(family, netdev_cmd_dev_get, netdev_a_dev_ifindex, &index, sizeof(index));
    if (!answer || !answer->contains(netdev_a_dev_xdp_features)) {
        return "unknown";
    }
    uint64_t features = 0;
    const std::string& bytes = answer->at(netdev_a_dev_xdp_features);
    std::memcpy(&features, bytes.data(), std::min(bytes.size(), sizeof(features)));
    return (features & feature_basic) != 0 ? "native" : "generic only";
}

uint16_t netdev_family(GenericNetlink* netlink) {
    const char name[] = "netdev";
    const auto answer = netlink->ask(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, name, sizeof(name));
    uint16_t id = 0;
    if (answer && answer->contains(CTRL_ATTR_FAMILY_ID)) {
        std::memcpy(&id, answer->at(CTRL_ATTR_FAMILY_ID).data(), sizeof(id));
    }
    return id;
}

std::string attached_mode(uint32_t index) {
    LIBBPF_OPTS(bpf_xdp_query_opts, query);
    if (bpf_xdp_query(static_cast<int>(index), 0, &query) != 0 || query.attach_mode == XDP_ATTACHED_NONE) {
        return "";
    }
    switch (query.attach_mode) {
        case XDP_ATTACHED_DRV:
            return "native";
        case XDP_ATTACHED_SKB:
            return "generic";
        case XDP_ATTACHED_HW:
            return "offloaded";
        default:
            return "several";
    }
}

std::string driver_of(int socket, ifreq request) {
    ethtool_drvinfo info = {};
    info.cmd = ETHTOOL_GDRVINFO;
    request.ifr_data = reinterpret_cast<char*>(&info);
    return ::ioctl(socket, SIOCETHTOOL, &request) == 0 ? info.driver : "?";
}

}  // namespace

std::vector<Interface> list_interfaces() {
    std::vector<Interface> interfaces;
    const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    GenericNetlink netlink;
    const uint16_t family = netdev_family(&netlink);
    struct if_nameindex* const all = ::if_nameindex();
    for (const struct if_nameindex* entry = all; entry != nullptr && entry->if_index != 0; entry++) {
        Interface found;
        ifreq request = {};
        found.name = entry->if_name;
        found.name.copy(request.ifr_name, IFNAMSIZ - 1);
        found.driver = driver_of(socket.get(), request);
        found.mtu = ::ioctl(socket.get(), SIOCGIFMTU, &request) == 0 ? request.ifr_mtu : 0;
        found.xdp = xdp_of(&netlink, family, entry->if_index);
        found.attached = attached_mode(entry->if_index);
        interfaces.push_back(found);
    }
    ::if_freenameindex(all);
    return interfaces;
}

}  // namespace syncline::tools
