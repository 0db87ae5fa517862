// SPDX-License-Identifier: BSD-3-Clause
// A node's IP address in the form for socket calls.
#pragma once

#include <sys/socket.h>

#include <cstdint>

#include "job/address.h"

namespace syncline {

sockaddr_storage socket_address(const NodeAddress& address, uint16_t port, socklen_t* length);

}  // namespace syncline
