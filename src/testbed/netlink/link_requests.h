// SPDX-License-Identifier: BSD-3-Clause
// The rtnetlink requests that nodes and bridge have in common.
#pragma once

#include <linux/netlink.h>

#include <cstdint>
#include <string>

#include "testbed/netlink/rtnetlink.h"

namespace syncline::testbed {

inline constexpr uint16_t create_flags = NLM_F_CREATE | NLM_F_EXCL;

// Makes a request without a link-local address: the test bed assigns all addresses, and an idle interface stays silent.
NetlinkRequest quiet_request(const std::string& interface);
NetlinkRequest up_request(const std::string& interface);
// Returns the index in the calling thread's network namespace.
uint32_t index_of(const std::string& interface);

}  // namespace syncline::testbed
