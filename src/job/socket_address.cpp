// SPDX-License-Identifier: BSD-3-Clause
#include "job/socket_address.h"

#include <netinet/in.h>

#include <cstring>

namespace syncline {

sockaddr_storage socket_address(const NodeAddress& address, uint16_t port, socklen_t* length) {
    sockaddr_storage storage = {};
    if (address.kind() == AddressKind::kIp4) {
        auto* const v4 = reinterpret_cast<sockaddr_in*>(&storage);
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        std::memcpy(&v4->sin_addr, address.bytes().data(), sizeof(v4->sin_addr));
        *length = sizeof(*v4);
    } else {
        auto* const v6 = reinterpret_cast<sockaddr_in6*>(&storage);
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        std::memcpy(&v6->sin6_addr, address.bytes().data(), sizeof(v6->sin6_addr));
        *length = sizeof(*v6);
    }
    return storage;
}

}  // namespace syncline
