// SPDX-License-Identifier: BSD-3-Clause
#include "launch/core_claims.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace syncline {
namespace {

using Call = int (*)(int, const sockaddr*, socklen_t);

UniqueFd datagram_socket() {
    return UniqueFd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

// connect() finds a name that is there, bind() takes one that is not.
bool try_name(Call call, const UniqueFd& socket, const Core& core) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const std::string name = fmt::format("syncline/core-{}", core.first_cpu);
    name.copy(address.sun_path + 1, sizeof(address.sun_path) - 1);
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    return call(socket.get(), reinterpret_cast<const sockaddr*>(&address), length) == 0;
}

}  // namespace

// The kernel shows this setting in the machine's own network namespace alone.
bool CoreClaims::are_seen_by_all() {
    return ::access("/proc/sys/net/core/netdev_budget", F_OK) == 0;
}

std::vector<bool> CoreClaims::claimed(const Topology& topology) {
    std::vector<bool> claimed;
    for (const Core& core : topology.cores) {
        claimed.push_back(try_name(::connect, datagram_socket(), core));
    }
    return claimed;
}

std::optional<CoreClaims> CoreClaims::claim(const Topology& topology, const std::vector<size_t>& cores) {
    CoreClaims claims;
    for (const size_t core : cores) {
        claims.sockets_.push_back(datagram_socket());
        if (!try_name(::bind, claims.sockets_.back(), topology.cores[core])) {
            return std::nullopt;
        }
    }
    return claims;
}

}  // namespace syncline
