// SPDX-License-Identifier: BSD-3-Clause
// A node's IP address as the socket calls take it.
#pragma once

#include <sys/socket.h>

#include <cstdint>

#include "job/address.h"

namespace syncline {

sockaddr_storage socket_address(const NodeAddress& address, uint16_t port, socklen_t* length);

}  // namespace syncline
